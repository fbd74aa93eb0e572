%% One incarnation of a queue: a process that owns a rabbit_variable_queue state and executes steps of a trace on it,
%% with frozen rates, stores settled after each call, and the mailbox drained at the end of each step.
-module(cq_queue).
-export([start/4, step/2, restart/2, crash_restart/3, died/1, id/2, message/4, id_of/1, shown_of/1]).

-import(cq_operations, [call/3, frozen/2, quietly/3, then/1]).

-include_lib("rabbit_common/include/rabbit.hrl").

-define(BQ, rabbit_variable_queue).
-define(CONVERTED_MS, 20000).

%% Recover is `new` or recovery terms.
start(Queue, Config, Recover, Known) ->
    cq_process:start(fun(Parent) -> init(Parent, Queue, Config, Recover, Known) end).

%% Conversions end within a second or never.
step(Queue, #{<<"op">> := <<"set_mode">>} = Step) -> cq_process:ask(Queue, {step, Step}, ?CONVERTED_MS);
step(Queue, Step) -> cq_process:ask(Queue, {step, Step}).

%% Clean stop and start; the stores are settled in between.
restart(Queue, Name) ->
    ok = cq_process:ask(Queue, terminate),
    cq_process:ended(Queue),
    Terms = cq_stores:restart(Name),
    {Terms, #{terms => shown(Terms)}}.

%% The process is gone without a word; torn leaves journal and segments as a crash in the middle of a flush does.
crash_restart(Queue, Name, Step) ->
    Kept = case maps:get(<<"torn">>, Step, false) of true -> cq_process:ask(Queue, tear); false -> none end,
    cq_process:kill(Queue),
    case Kept of
        none -> ok;
        {Path, Bytes} -> ok = file:write_file(Path, Bytes)
    end,
    Terms = cq_stores:restart(Name),
    {Terms, #{terms => Terms}}.

shown(non_clean_shutdown) -> non_clean_shutdown;
shown(Terms) ->
    Names = [next_seq_id, next_deliver_seq_id, persistent_count, persistent_bytes],
    Segments = lists:sort([[N, Unacked] || {N, Unacked} <- proplists:get_value(segments, Terms, [])]),
    maps:from_list([{segments, Segments} | [{Name, proplists:get_value(Name, Terms)}
                                            || Name <- Names, proplists:is_defined(Name, Terms)]]).

died(Reason) -> error({queue_died, Reason}).

init(Parent, Queue, Config, Recover, Known) ->
    Self = self(),
    Callback = fun(Module, Fun) -> Self ! {run_backing_queue, Module, Fun}, ok end,
    Stores = cq_stores:attach(),
    State0 = ?BQ:init(Queue, Recover, Callback),
    #{<<"rates">> := Rates, <<"mode">> := Mode} = Config,
    Env = #{config => Config, rates => fun() -> Rates end, stores => Stores, known => Known},
    {_, State} = call(Env, fun(S) -> ?BQ:set_queue_mode(binary_to_atom(Mode), S) end, State0),
    {Outcome, State1} = finish(Env, #{}, State),
    Parent ! {answer, self(), Outcome},
    loop(Env, State1).

loop(Env, State) ->
    receive
        {request, From, {step, Step}} ->
            Env1 = case Step of #{<<"op">> := <<"rates">>, <<"rates">> := Rates} -> Env#{rates => fun() -> Rates end}; _ -> Env end,
            {Result, State1} = op(maps:get(<<"op">>, Step), Step, Env1, State),
            {Outcome, State2} = finish(Env1, Result, State1),
            From ! {answer, self(), Outcome},
            loop(Env1, State2);
        {request, From, tear} ->
            {Kept, State1} = tear(State),
            From ! {answer, self(), Kept},
            loop(Env, State1);
        {request, From, terminate} ->
            ?BQ:terminate(shutdown, frozen(Env, State)),
            cq_stores:settle(maps:get(stores, Env)),
            From ! {answer, self(), ok}
    end.

tear(State) ->
    QI = rabbit_queue_index:sync(cq_fields:get(?BQ, index_state, State)),
    Path = filename:join(cq_fields:get(rabbit_queue_index, dir, QI), "journal.jif"),
    Kept = case file:read_file(Path) of {ok, Bytes} -> {Path, Bytes}; {error, enoent} -> none end,
    {Kept, cq_fields:set(?BQ, index_state, rabbit_queue_index:flush(QI), State)}.

%% --- how a step is executed ---

finish(#{config := Config, stores := Stores} = Env, Result, State) ->
    Blocked = credit_flow:blocked(),
    {Bumps, Resumes, State1} = drain(Env, 0, 0, State),
    Drain = case Blocked orelse Bumps + Resumes > 0 of
                true -> #{drain => #{blocked => Blocked, bumps => Bumps, resumes => Resumes}};
                false -> #{}
            end,
    Shown = case map_size(Result) of 0 -> #{}; _ -> #{result => Result} end,
    After = cq_vector:vector(State1, Stores, maps:get(<<"durable">>, Config)),
    {maps:merge(maps:merge(Shown, Drain), #{'after' => After}), State1}.

drain(Env, Bumps, Resumes, State) ->
    case mailbox({0, 0, false}, State) of
        {{0, _, _}, State1} ->
            {Bumps, Resumes, State1};
        {{_, New, Continue}, State1} when New > 0; Continue ->
            {_, State2} = call(Env, fun ?BQ:resume/1, State1),
            drain(Env, Bumps + New, Resumes + 1, State2);
        {_, State1} ->
            cq_stores:settle(maps:get(stores, Env)),
            drain(Env, Bumps, Resumes, State1)
    end.

%% Handle all that is in the mailbox now: {messages, credit messages, whether paging goes on}.
mailbox({N, Bumps, Continue} = Seen, State) ->
    receive
        {run_backing_queue, Module, Fun} ->
            mailbox({N + 1, Bumps, Continue}, ?BQ:invoke(Module, Fun, State));
        {bump_credit, Message} ->
            credit_flow:handle_bump_msg(Message),
            mailbox({N + 1, Bumps + 1, Continue}, State);
        bump_reduce_memory_use ->
            mailbox({N + 1, Bumps, true}, ?BQ:handle_info(bump_reduce_memory_use, State))
    after 0 ->
        {Seen, State}
    end.

%% --- operations ---

op(<<"publish">>, Step, Env, State) ->
    Delivered = maps:get(<<"delivered">>, Step, false),
    cq_operations:publish(seq, publishing(Step, Env,
        fun(M, P, S) -> ?BQ:publish(M, P, Delivered, self(), noflow, S) end,
        fun(All, S) -> ?BQ:batch_publish([{M, P, Delivered} || {M, P} <- All], self(), noflow, S) end), Step, Env, State);
op(<<"publish_delivered">>, Step, Env, State) ->
    cq_operations:publish(tags, publishing(Step, Env,
        fun(M, P, S) -> ?BQ:publish_delivered(M, P, self(), noflow, S) end,
        fun(All, S) -> ?BQ:batch_publish_delivered(All, self(), noflow, S) end), Step, Env, State);
op(<<"requeue">>, Step, Env, State) ->
    cq_operations:tags(requeued, fun(Tags, S) -> ?BQ:requeue(Tags, S) end, Step, Env, State);
op(<<"set_target">>, #{<<"target">> := Target}, Env, State) ->
    Overwrite = fun(S) -> ?BQ:resume(cq_fields:set(?BQ, target_ram_count, amount(Target), S)) end,
    quietly(Overwrite, Env, State);
op(<<"set_duration">>, #{<<"duration">> := Duration}, Env, State) ->
    {_, State1} = call(Env, fun(S) -> ?BQ:set_ram_duration_target(amount(Duration), S) end, State),
    {#{target => cq_fields:get(?BQ, target_ram_count, State1)}, State1};
op(<<"set_mode">>, #{<<"mode">> := Mode}, Env, State) ->
    quietly(fun(S) -> ?BQ:set_queue_mode(binary_to_atom(Mode), S) end, Env, State);
op(<<"rates">>, _, _, State) -> {#{}, State};
op(Same, Step, Env, State) -> cq_operations:op(Same, Step, Env, State).

%% Publishes a batch in one call, other messages one by one.
publishing(#{<<"batch">> := true}, Env, _, Batch) ->
    fun(Messages, State) -> then(call(Env, fun(S) -> Batch(Messages, S) end, State)) end;
publishing(_, Env, One, _) -> cq_operations:one_by_one(One, Env).

amount(<<"infinity">>) -> infinity;
amount(Number) -> Number.

%% --- messages ---

message(Id, Content, Persistent, #{<<"vhost">> := VHost, <<"queue">> := Queue}) ->
    #basic_message{exchange_name = rabbit_misc:r(VHost, exchange, <<>>), routing_keys = [Queue],
                   content = Content, id = Id, is_persistent = Persistent}.

id_of(#basic_message{id = Id}) -> Id.

shown_of(_) -> #{}.

%% Ids of the recorded traces, or ids with the prefix that the engine puts before its own numbers.
id(Number, #{<<"id_prefix">> := Prefix}) -> <<(list_to_binary(Prefix))/binary, Number:64>>;
id(Number, _) -> erlang:md5(["cq-trace/1:", integer_to_list(Number)]).
