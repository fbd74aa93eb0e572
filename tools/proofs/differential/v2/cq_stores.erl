%% The two message stores and the recovery terms of the virtual host "/" as 4.x has them: started empty or from their
%% files, stopped, and settled.
-module(cq_stores).
-export([vhost/0, directory/0, begin_empty/1, restart/1, restart/2, forget_clean_stop/0, attach/0, release/0, settle/1, state/1,
         suspend/1, resume/1, tick/1, path/2]).

-define(NO_MESSAGE, <<0:128>>).
-define(TYPES, [msg_store_persistent, msg_store_transient]).

vhost() -> <<"/">>.

directory() -> rabbit_vhost:msg_store_dir_path(vhost()).

%% Where the file lies that a trace names: "3.qs" in the queue's directory, "3.rdq" in the persistent store's.
path(QueueName, File) ->
    case filename:extension(File) of
        <<".rdq">> -> filename:join([directory(), "msg_store_persistent", File]);
        _ -> filename:join(rabbit_classic_queue_index_v2:queue_dir(directory(), QueueName), File)
    end.

%% Stop everything, empty the directory, apply the settings and start again.
begin_empty(Config) ->
    cq_timers:take_over(),
    rabbit_variable_queue:stop(vhost()),
    cq_timers:forget(),
    [ok = delete(filename:join(directory(), Name))
     || Name <- ["queues", "msg_store_persistent", "msg_store_transient", "recovery.dets"]],
    ok = filelib:ensure_dir(filename:join([directory(), "queues", "x"])),
    configure(Config),
    {ok, []} = rabbit_variable_queue:start(vhost(), []),
    ok.

configure(Config) ->
    [set(Name, maps:get(atom_to_binary(Name), Config)) || Name <- [queue_index_embed_msgs_below, msg_store_file_size_limit]],
    [Initial, More] = maps:get(<<"msg_store_credit_disc_bound">>, Config),
    set(msg_store_credit_disc_bound, {Initial, More}),
    %% Copied at boot into persistent terms (W3).
    [persistent_term:put(Name, maps:get(Key, Config))
     || {Name, Key} <- [{classic_queue_index_v2_segment_entry_count, <<"segment_entry_count">>},
                        {classic_queue_store_v2_max_cache_size, <<"store_max_cache_size">>},
                        {classic_queue_store_v2_check_crc32, <<"check_crc32">>}]].

set(Name, Value) -> ok = application:set_env(rabbit, Name, Value).

delete(Path) ->
    case file:del_dir_r(Path) of
        {error, enoent} -> ok;
        Other -> Other
    end.

%% Stop and start from the files; the answer is the recovery terms of the queue.
restart(QueueName) -> restart(QueueName, fun() -> ok end).

%% Between stop and start something is done to the files.
restart(QueueName, Between) ->
    rabbit_variable_queue:stop(vhost()),
    cq_timers:forget(),
    Between(),
    {ok, [Terms]} = rabbit_variable_queue:start(vhost(), [QueueName]),
    Terms.

%% After a kill no store has said what it knows: only the files are left.
forget_clean_stop() ->
    [file:delete(Path)
     || Path <- filelib:wildcard(filename:join(directory(), "msg_store_*/{clean.dot,file_summary.ets,msg_store_index.ets}"))],
    ok.

%% Process and collector of each store.
attach() ->
    [begin
         Pid = rabbit_vhost_msg_store:vhost_store_pid(vhost(), Type),
         {Type, Pid, cq_fields:get(rabbit_msg_store, gc_pid, state(Pid))}
     end || Type <- ?TYPES].

release() -> ok.

%% Everything sent is processed, what is owed is written, and collectors have nothing to do.
settle(Stores) -> lists:foreach(fun settle_one/1, Stores).

settle_one({Type, Pid, Collector}) ->
    barrier(Pid),
    %% By itself it writes when it is idle and owes somebody a confirm, which the transient one never does.
    Type =:= msg_store_persistent andalso begin Pid ! sync, barrier(Pid) end,
    rested(Collector),
    barrier(Pid).

%% A request for the state overtakes what waits in the process's own queue, and shows it.
rested(Pid) ->
    case priority_queue:is_empty(cq_fields:get(gen_server2, queue, sys:get_state(Pid, infinity))) of
        true -> ok;
        false -> rested(Pid)
    end.

%% A call of the lowest priority is answered after all that was sent before it.
barrier(Pid) ->
    false = gen_server2:call(Pid, {contains, ?NO_MESSAGE}, infinity),
    ok.

suspend(Stores) -> [ok = sys:suspend(Pid) || {_, Pid, _} <- Stores].
resume(Stores) -> [ok = sys:resume(Pid) || {_, Pid, _} <- Stores].

%% The 15 s timers fire: which files were in them.
tick(Stores) ->
    Fired = [{Type, cq_timers:fire(Pid)} || {Type, Pid, _} <- Stores],
    settle(Stores),
    maps:from_list([{name(Type), lists:sort(maps:keys(Files))} || {Type, {maybe_gc, Files}} <- Fired]).

name(msg_store_persistent) -> persistent;
name(msg_store_transient) -> transient.

state(Pid) ->
    cq_fields:get(gen_server2, state, sys:get_state(Pid, infinity)).
