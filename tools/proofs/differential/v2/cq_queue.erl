%% One incarnation of a queue of version 2: a process that owns a rabbit_variable_queue state and executes steps of a
%% trace on it, with a frozen egress rate, stores settled after each call, and the mailbox drained at the end of a step.
-module(cq_queue).
-export([start/4, step/2, restart/2, crash_restart/3, died/1, id/2, message/4, id_of/1, shown_of/1]).

-import(cq_operations, [call/3, frozen/2]).

-include_lib("rabbit_common/include/rabbit.hrl").

-define(BQ, rabbit_variable_queue).
-define(EPOCH_MS, 1600000000000).

%% Recover is `new` or recovery terms.
start(Queue, #{<<"out_rate">> := Rate} = Config, Recover, Known) ->
    case ets:lookup(Known, out_rate) of
        [] -> ets:insert(Known, [{out_rate, Rate}, {before, #{}}]);
        _ -> ok
    end,
    cq_process:start(fun(Parent) -> init(Parent, Queue, Config, Recover, Known) end).

step(Queue, Step) -> cq_process:ask(Queue, {step, Step}).

%% Clean stop; {terms, extra result}. If terminate itself crashes, the stores stop as they would.
restart(Queue, Name) ->
    Result = case cq_process:ask(Queue, terminate) of ok -> #{}; crashed -> #{terminate_crashed => true} end,
    cq_process:ended(Queue),
    Terms = cq_stores:restart(Name),
    {Terms, Result#{terms => cq_vector:terms(Terms)}}.

%% kill -9: what was only buffered is gone. Torn is a kill inside a sync, when one of index and store is written.
crash_restart(Queue, Name, Step) ->
    case maps:get(<<"torn">>, Step, none) of
        none -> ok;
        Torn -> ok = cq_process:ask(Queue, {write, Torn})
    end,
    cq_process:kill(Queue),
    Terms = cq_stores:restart(Name, fun() ->
                cq_stores:forget_clean_stop(),
                [damage(cq_stores:path(Name, File), Where, Value) || [File, Where, Value] <- maps:get(<<"damage">>, Step, [])]
            end),
    {Terms, #{terms => Terms}}.

damage(Path, Where, Value) ->
    {ok, File} = file:open(Path, [read, write, raw, binary]),
    case Where of
        <<"truncate">> -> {ok, _} = file:position(File, Value), ok = file:truncate(File);
        _ -> ok = file:pwrite(File, Where, <<Value>>)
    end,
    ok = file:close(File).

%% What the process died of, as traces say it: the kind of error and the function.
died(Reason) -> #{result => death(Reason)}.

death({Reason, [{Module, Function, Arity, _} | _]}) ->
    Count = if is_list(Arity) -> length(Arity); true -> Arity end,
    Kind = if is_tuple(Reason) -> element(1, Reason); true -> Reason end,
    #{crash => Kind, in => iolist_to_binary(io_lib:format("~s:~s/~b", [Module, Function, Count]))};
death(Reason) -> #{crash => iolist_to_binary(io_lib:format("~0p", [Reason])), in => null}.

init(Parent, Queue, Config, Recover, Known) ->
    Self = self(),
    Callback = fun(Module, Fun) -> Self ! {run_backing_queue, Module, Fun}, ok end,
    Stores = cq_stores:attach(),
    State = ?BQ:init(Queue, Recover, Callback),
    cq_stores:settle(Stores),
    Rates = fun() -> [0, ets:lookup_element(Known, out_rate, 2), 0, 0] end,
    Env = #{config => Config, rates => Rates, stores => Stores, known => Known},
    {Outcome, State1} = finish(Env, #{}, State),
    Parent ! {answer, self(), Outcome},
    loop(Env, State1).

loop(Env, State) ->
    receive
        {request, From, {step, Step}} ->
            {Result, State1} = op(maps:get(<<"op">>, Step), Step, Env, State),
            {Outcome, State2} = case maps:get(<<"inside">>, Step, false) of
                                    true -> {#{result => Result, pending_tags => pending(State1)}, State1};
                                    false -> finish(Env, Result, State1)
                                end,
            From ! {answer, self(), Outcome},
            loop(Env, State2);
        {request, From, {write, Torn}} ->
            case Torn of
                <<"index">> -> rabbit_classic_queue_index_v2:sync(cq_fields:get(?BQ, index_state, State));
                <<"store">> -> rabbit_classic_queue_store_v2:sync(cq_fields:get(?BQ, store_state, State))
            end,
            From ! {answer, self(), ok},
            loop(Env, State);
        {request, From, terminate} ->
            Answer = try ?BQ:terminate(shutdown, frozen(Env, State)), ok catch _:_ -> crashed end,
            cq_stores:settle(maps:get(stores, Env)),
            From ! {answer, self(), Answer}
    end.

pending(State) ->
    Trees = [cq_fields:get(?BQ, Name, State) || Name <- [ram_pending_ack, disk_pending_ack]],
    cq_vector:runs(lists:sort(lists:append([keys(Tree) || Tree <- Trees]))).

keys(Map) when is_map(Map) -> maps:keys(Map);
keys(Tree) -> gb_trees:keys(Tree).

%% --- how a step is executed ---

finish(#{config := Config, stores := Stores, known := Known} = Env, Result, State) ->
    Blocked = credit_flow:blocked(),
    {Bumps, State1} = drain(Env, 0, State),
    Drain = case Blocked orelse Bumps > 0 of
                true -> #{drain => #{blocked => Blocked, bumps => Bumps}};
                false -> #{}
            end,
    Shown = case map_size(Result) of 0 -> #{}; _ -> #{result => Result} end,
    Before = ets:lookup_element(Known, before, 2),
    {After, Now} = cq_vector:vector(State1, Stores, maps:get(<<"durable">>, Config), Before),
    ets:insert(Known, {before, Now}),
    {maps:merge(maps:merge(Shown, Drain), #{'after' => After}), State1}.

%% Handle the mailbox until it stays empty; each credit message is followed by resume/1.
drain(Env, Bumps, State) ->
    receive
        {run_backing_queue, Module, Fun} ->
            drain(Env, Bumps, ?BQ:invoke(Module, Fun, State));
        {bump_credit, Message} ->
            credit_flow:handle_bump_msg(Message),
            {_, State1} = call(Env, fun ?BQ:resume/1, State),
            drain(Env, Bumps + 1, State1)
    after 0 ->
        cq_stores:settle(maps:get(stores, Env)),
        case process_info(self(), message_queue_len) of
            {message_queue_len, 0} -> {Bumps, State};
            _ -> drain(Env, Bumps, State)
        end
    end.

%% --- operations ---

op(<<"publish">>, Step, Env, State) ->
    Delivered = maps:get(<<"delivered">>, Step, false),
    One = fun(M, P, S) -> ?BQ:publish(M, P, Delivered, self(), S) end,
    cq_operations:publish(seq, cq_operations:one_by_one(One, Env), Step, Env, State);
op(<<"publish_delivered">>, Step, Env, State) ->
    One = fun(M, P, S) -> ?BQ:publish_delivered(M, P, self(), S) end,
    cq_operations:publish(tags, cq_operations:one_by_one(One, Env), Step, Env, State);
op(<<"requeue">>, Step, Env, State) ->
    Failed = maps:get(<<"delivery_failed">>, Step, true),
    cq_operations:tags(requeued, fun(Tags, S) -> requeue(Tags, Failed, S) end, Step, Env, State);
op(<<"ackfold">>, #{<<"tags">> := Runs}, Env, State) ->
    Tags = [Tag || [First, Last] <- Runs, Tag <- lists:seq(First, Last)],
    Add = fun(Message, _, Ids) -> [cq_messages:seq_of(id_of(Message), Env) | Ids] end,
    {{Found, _}, State1} = call(Env, fun(S) -> ackfold(Add, S, Tags) end, State),
    {#{seq => cq_vector:runs(lists:reverse(Found))}, State1};
op(<<"out_rate">>, #{<<"out_rate">> := Rate}, #{known := Known}, State) ->
    ets:insert(Known, {out_rate, Rate}),
    {#{}, State};
op(<<"gc_tick">>, _, #{stores := Stores}, State) ->
    {#{fired => cq_stores:tick(Stores)}, State};
op(<<"suspend">>, _, #{stores := Stores}, State) ->
    cq_stores:suspend(Stores),
    put(suspended, true),
    {#{}, State};
op(<<"go_on">>, _, #{stores := Stores}, State) ->
    cq_stores:resume(Stores),
    put(suspended, false),
    cq_stores:settle(Stores),
    {#{}, State};
op(<<"overwrite">>, #{<<"file">> := File, <<"offset">> := Offset, <<"value">> := Value}, #{config := Config}, State) ->
    #{<<"vhost">> := VHost, <<"queue">> := Queue} = Config,
    damage(cq_stores:path(rabbit_misc:r(VHost, queue, Queue), File), Offset, Value),
    {#{}, State};
op(<<"dump">>, _, _, State) ->
    Dir = unicode:characters_to_list(cq_fields:get(rabbit_classic_queue_index_v2, dir, cq_fields:get(?BQ, index_state, State))),
    Root = filename:join(filename:dirname(filename:dirname(Dir ++ "/x")), ".."),
    Files = [{"", Dir ++ "/*.q[is]"} | [{P, filename:join([Root, S, "*.rdq"])}
                                       || {P, S} <- [{"p/", "msg_store_persistent"}, {"t/", "msg_store_transient"}]]],
    Hex = [{list_to_binary(P ++ filename:basename(Path)), binary:encode_hex(Data, lowercase)}
           || {P, Pattern} <- Files, Path <- filelib:wildcard(Pattern), {ok, Data} <- [file:read_file(Path)],
              Data =/= <<>>, byte_size(Data) =< 4096],
    {#{hex => maps:from_list(Hex)}, State};
op(Same, Step, Env, State) -> cq_operations:op(Same, Step, Env, State).

counts_deliveries() -> cq_fields:has(?BQ, vqstate, delivery_count).

times(Message) ->
    case mc:get_annotation(delivery_count, Message) of undefined -> 0; N -> N end.

requeue(Tags, Failed, State) ->
    case erlang:function_exported(?BQ, requeue, 3) of
        true -> ?BQ:requeue(Tags, Failed, State);
        false -> ?BQ:requeue(Tags, State)
    end.

ackfold(Fun, State, Tags) ->
    case erlang:function_exported(?BQ, ackfold, 5) of
        true -> ?BQ:ackfold(Fun, [], State, Tags, false);
        false -> ?BQ:ackfold(Fun, [], State, Tags)
    end.

%% --- messages ---

%% A container as a channel and rabbit_classic_queue:deliver/3 make it.
message(Id, Encoded, _, #{<<"vhost">> := VHost, <<"queue">> := Queue}) ->
    Content = rabbit_binary_parser:ensure_content_decoded(Encoded),
    {ok, Fresh} = mc_amqpl:message(rabbit_misc:r(VHost, exchange, <<>>), Queue, Content, #{}),
    mc:prepare(store, mc:set_annotation(id, Id, mc:set_annotation(rts, ?EPOCH_MS, Fresh))).

id_of(Message) -> mc:get_annotation(id, Message).

%% How often each was delivered, in releases that count it.
shown_of(Messages) ->
    case counts_deliveries() of
        true -> #{delivery_count => cq_operations:lengths([times(Message) || Message <- Messages])};
        false -> #{}
    end.

id(Number, _) -> erlang:md5(["cq-trace/2:", integer_to_list(Number)]).
