%% The two message stores and the recovery terms of the virtual host "/": started empty or from their files,
%% stopped, and settled. Between calls of the queue their garbage collectors are suspended.
-module(cq_stores).
-export([vhost/0, directory/0, begin_empty/1, restart/1, attach/0, release/0, settle/1, state/1]).

-define(NO_MESSAGE, <<0:128>>).

vhost() -> <<"/">>.

directory() -> rabbit_vhost:msg_store_dir_path(vhost()).

%% Stop everything, empty the directory, apply the settings and start again.
begin_empty(Config) ->
    release(),
    rabbit_variable_queue:stop(vhost()),
    Dir = directory(),
    [ok = delete(filename:join(Dir, Name))
     || Name <- ["queues", "msg_store_persistent", "msg_store_transient", "recovery.dets"]],
    ok = filelib:ensure_dir(filename:join([Dir, "queues", "x"])),
    N = maps:get(<<"segment_entry_count">>, Config),
    ok = file:write_file(filename:join(Dir, ".config"),
                         io_lib:format("{segment_entry_count, ~b}.", [N])),
    configure(Config),
    {ok, []} = rabbit_variable_queue:start(vhost(), []),
    ok.

configure(Config) ->
    Names = [queue_index_embed_msgs_below, queue_index_max_journal_entries,
             msg_store_file_size_limit, msg_store_io_batch_size],
    [set(Name, maps:get(atom_to_binary(Name), Config)) || Name <- Names],
    [Initial, More] = maps:get(<<"msg_store_credit_disc_bound">>, Config),
    set(msg_store_credit_disc_bound, {Initial, More}),
    Threshold = maps:get(<<"explicit_gc_run_operation_threshold">>, Config),
    set(queue_explicit_gc_run_operation_threshold, Threshold),
    set(lazy_queue_explicit_gc_run_operation_threshold, Threshold).

set(Name, Value) -> ok = application:set_env(rabbit, Name, Value).

delete(Path) ->
    case file:del_dir_r(Path) of
        {error, enoent} -> ok;
        Other -> Other
    end.

%% Stop and start from the files; the answer is the recovery terms of the queue.
restart(QueueName) ->
    release(),
    rabbit_variable_queue:stop(vhost()),
    {ok, [Terms]} = rabbit_variable_queue:start(vhost(), [QueueName]),
    Terms.

%% {Process, collector, file summary table, may owe a sync} of each store, quiet, with collectors suspended.
attach() ->
    Stores = [attach(Type) || Type <- [msg_store_persistent, msg_store_transient]],
    [ok = collected(Store) || Store <- Stores],
    [ok = sys:suspend(GC) || {_, GC, _, _} <- Stores],
    Stores.

attach(Type) ->
    Pid = rabbit_vhost_msg_store:vhost_store_pid(vhost(), Type),
    barrier(Pid),
    State = state(Pid),
    {Pid, field(gc_pid, State), field(file_summary_ets, State), Type =:= msg_store_persistent}.

%% A store waits for its collector when it stops, so a suspended collector has to go on before.
release() ->
    [catch sys:resume(field(gc_pid, state(Pid)))
     || Type <- [msg_store_persistent, msg_store_transient],
        Pid <- [rabbit_vhost_msg_store:vhost_store_pid(vhost(), Type)], is_pid(Pid)],
    ok.

%% Everything sent is processed, what is owed is synced, and garbage is collected to the end.
settle(Stores) ->
    lists:foreach(fun settle_one/1, Stores).

settle_one({Pid, GC, Summary, Syncs} = Store) ->
    barrier(Pid),
    Syncs andalso begin Pid ! sync, barrier(Pid) end,
    case locked(Summary) of
        0 -> ok;
        _ ->
            ok = sys:resume(GC),
            ok = collected(Store),
            ok = sys:suspend(GC)
    end.

collected({Pid, _, Summary, Syncs} = Store) ->
    barrier(Pid),
    Syncs andalso begin Pid ! sync, barrier(Pid) end,
    case locked(Summary) of
        0 -> ok;
        _ -> timer:sleep(1), collected(Store)
    end.

locked(Summary) ->
    Row = cq_fields:new(rabbit_msg_store, file_summary),
    Any = list_to_tuple([file_summary | ['_' || _ <- tl(tuple_to_list(Row))]]),
    Pattern = cq_fields:set(rabbit_msg_store, locked, true, Any),
    ets:select_count(Summary, [{Pattern, [], [true]}]).

%% A call of the lowest priority: it is answered after all that was sent before it.
barrier(Pid) ->
    false = gen_server2:call(Pid, {contains, ?NO_MESSAGE}, infinity),
    ok.

state(Pid) ->
    cq_fields:get(gen_server2, state, sys:get_state(Pid, infinity)).

field(Name, State) -> cq_fields:get(rabbit_msg_store, Name, State).
