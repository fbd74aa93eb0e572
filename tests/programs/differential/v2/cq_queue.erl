%% One incarnation of a queue of version 2: a process that owns a rabbit_variable_queue state and executes steps of a
%% trace on it, with a frozen egress rate, stores settled after each call, and the mailbox drained at the end of a step.
-module(cq_queue).
-export([start/4, step/2, restart/2, crash_restart/3]).

-include_lib("rabbit_common/include/rabbit.hrl").

-define(BQ, rabbit_variable_queue).
-define(EPOCH_US, 1600000000000000).
-define(EPOCH_MS, 1600000000000).
-define(FAR_BELOW, -1000000000).

%% env: config, out_rate, stores, known (an ets table: message id -> seq, next -> message number)

%% Recover is `new` or recovery terms. The process is not linked: a crash is part of some traces.
start(Queue, #{<<"out_rate">> := Rate} = Config, Recover, Known) ->
    case ets:lookup(Known, out_rate) of
        [] -> ets:insert(Known, [{out_rate, Rate}, {before, #{}}]);
        _ -> ok
    end,
    Parent = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> init(Parent, Queue, Config, Recover, Known) end),
    {Pid, Monitor, await(Pid, Monitor)}.

step(Queue, Step) -> ask(Queue, {step, Step}).

%% Clean stop; {terms, extra result}. If terminate itself crashes, the stores stop as they would.
restart({Pid, Monitor, _} = Queue, Name) ->
    Result = case ask(Queue, terminate) of ok -> #{}; crashed -> #{terminate_crashed => true} end,
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    Terms = cq_stores:restart(Name),
    {Terms, Result#{terms => cq_vector:terms(Terms)}}.

%% kill -9: what was only buffered is gone. Torn is a kill inside a sync, when one of index and store is written.
crash_restart({Pid, Monitor, _} = Queue, Name, Step) ->
    case maps:get(<<"torn">>, Step, none) of
        none -> ok;
        Torn -> ok = ask(Queue, {write, Torn})
    end,
    exit(Pid, kill),
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
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

ask({Pid, Monitor, _}, Request) ->
    Pid ! {request, self(), Request},
    await(Pid, Monitor).

await(Pid, Monitor) ->
    receive
        {answer, Pid, Answer} -> Answer;
        {'DOWN', Monitor, process, Pid, Reason} -> #{result => died(Reason)}
    end.

%% What the process died of, as traces say it: the kind of error and the function.
died({Reason, [{Module, Function, Arity, _} | _]}) ->
    Count = if is_list(Arity) -> length(Arity); true -> Arity end,
    Kind = if is_tuple(Reason) -> element(1, Reason); true -> Reason end,
    #{crash => Kind, in => iolist_to_binary(io_lib:format("~s:~s/~b", [Module, Function, Count]))};
died(Reason) -> #{crash => iolist_to_binary(io_lib:format("~0p", [Reason])), in => null}.

init(Parent, Queue, Config, Recover, Known) ->
    Self = self(),
    Callback = fun(Module, Fun) -> Self ! {run_backing_queue, Module, Fun}, ok end,
    Stores = cq_stores:attach(),
    State = ?BQ:init(Queue, Recover, Callback),
    cq_stores:settle(Stores),
    Env = #{config => Config, stores => Stores, known => Known},
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

%% --- how a call and a step are executed ---

%% Run Fun(State) with the frozen rate; it returns the state, or {Value, State}, or a longer tuple that ends with it.
call(#{stores := Stores} = Env, Fun, State) ->
    Answer = Fun(frozen(Env, State)),
    case get(suspended) of
        true -> ok;
        _ -> cq_stores:settle(Stores)
    end,
    case element(1, Answer) of
        vqstate -> {ok, Answer};
        _ -> {Answer, element(tuple_size(Answer), Answer)}
    end.

frozen(#{known := Known}, State) ->
    Out = float(ets:lookup_element(Known, out_rate, 2)),
    Old = cq_fields:get(?BQ, rates, State),
    Rates = lists:foldl(fun({Name, Value}, R) -> cq_fields:set(?BQ, Name, Value, R) end, Old,
                        [{in, 0.0}, {out, Out}, {ack_in, 0.0}, {ack_out, 0.0}]),
    lists:foldl(fun({Name, Value}, S) -> cq_fields:set(?BQ, Name, Value, S) end, State,
                [{rates, Rates}, {in_counter, ?FAR_BELOW}, {out_counter, ?FAR_BELOW}]).

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
    First = next_seq(State),
    Delivered = maps:get(<<"delivered">>, Step, false),
    State1 = lists:foldl(fun({M, P}, S) ->
                             then(call(Env, fun(S1) -> ?BQ:publish(M, P, Delivered, self(), S1) end, S))
                         end, State, messages(Step, Env, First)),
    {#{seq => [First, next_seq(State1) - 1]}, State1};
op(<<"publish_delivered">>, Step, Env, State) ->
    First = next_seq(State),
    State1 = lists:foldl(fun({M, P}, S) ->
                             then(call(Env, fun(S1) -> ?BQ:publish_delivered(M, P, self(), S1) end, S))
                         end, State, messages(Step, Env, First)),
    {#{tags => [First, next_seq(State1) - 1]}, State1};
op(<<"fetch">>, #{<<"count">> := Count, <<"ack">> := Ack}, Env, State) ->
    {Taken, State1} = take(fun(S) -> ?BQ:fetch(Ack, S) end, Count, Env, State, []),
    Seqs = [seq_of(mc:get_annotation(id, Message), Env) || {Message, _, _} <- Taken],
    Counted = case counts_deliveries() of
                  true -> #{delivery_count => lengths([times(Message) || {Message, _, _} <- Taken], [])};
                  false -> #{}
              end,
    {maps:merge(taken(Seqs, Count), Counted#{delivered => lengths([Flag || {_, Flag, _} <- Taken], [])}), State1};
op(<<"drop">>, #{<<"count">> := Count, <<"ack">> := Ack}, Env, State) ->
    {Taken, State1} = take(fun(S) -> ?BQ:drop(Ack, S) end, Count, Env, State, []),
    {taken([seq_of(Id, Env) || {Id, _} <- Taken], Count), State1};
op(<<"ack">>, Step, Env, State) ->
    tags(acked, fun(Tags, S) -> ?BQ:ack(Tags, S) end, Step, Env, State);
op(<<"requeue">>, Step, Env, State) ->
    Failed = maps:get(<<"delivery_failed">>, Step, true),
    tags(requeued, fun(Tags, S) -> requeue(Tags, Failed, S) end, Step, Env, State);
op(<<"ackfold">>, #{<<"tags">> := Runs}, Env, State) ->
    Tags = [Tag || [First, Last] <- Runs, Tag <- lists:seq(First, Last)],
    Add = fun(Message, _, Ids) -> [seq_of(mc:get_annotation(id, Message), Env) | Ids] end,
    {{Found, _}, State1} = call(Env, fun(S) -> ackfold(Add, S, Tags) end, State),
    {#{seq => cq_vector:runs(lists:reverse(Found))}, State1};
op(<<"purge">>, _, Env, State) ->
    {{Count, _}, State1} = call(Env, fun ?BQ:purge/1, State),
    {#{purged => Count}, State1};
op(<<"purge_acks">>, _, Env, State) ->
    quietly(fun ?BQ:purge_acks/1, Env, State);
op(<<"dropwhile">>, Step, Env, State) ->
    {{Next, _}, State1} = call(Env, fun(S) -> ?BQ:dropwhile(expired(Step), S) end, State),
    {#{dropped => ?BQ:len(State) - ?BQ:len(State1), next_expiry_ms => expiry(Next)}, State1};
op(<<"fetchwhile">>, Step, Env, State) ->
    Add = fun(_, Tag, Tags) -> [Tag | Tags] end,
    {{Next, Tags, _}, State1} = call(Env, fun(S) -> ?BQ:fetchwhile(expired(Step), Add, [], S) end, State),
    {#{tags => cq_vector:runs(lists:reverse(Tags)), next_expiry_ms => expiry(Next)}, State1};
op(<<"out_rate">>, #{<<"out_rate">> := Rate}, #{known := Known}, State) ->
    ets:insert(Known, {out_rate, Rate}),
    {#{}, State};
op(<<"resume">>, _, Env, State) -> quietly(fun ?BQ:resume/1, Env, State);
op(<<"timeout">>, _, Env, State) -> quietly(fun ?BQ:timeout/1, Env, State);
op(<<"pre_hibernate">>, _, Env, State) -> quietly(fun ?BQ:handle_pre_hibernate/1, Env, State);
op(<<"needs_timeout">>, _, _, State) -> {#{needs_timeout => ?BQ:needs_timeout(State)}, State};
op(<<"drain_confirmed">>, _, Env, State) ->
    {{Ids, _}, State1} = call(Env, fun ?BQ:drain_confirmed/1, State),
    Seqs = lists:sort([seq_of(Id, Env) || Id <- listed(Ids)]),
    {#{confirmed => length(Seqs), seq => cq_vector:runs(Seqs)}, State1};
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
    {#{hex => maps:from_list(Hex)}, State}.

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

listed(Ids) when is_list(Ids) -> Ids;
listed(Ids) -> sets:to_list(Ids).

quietly(Fun, Env, State) -> {#{}, then(call(Env, Fun, State))}.

then({_, State}) -> State.

next_seq(State) -> cq_fields:get(?BQ, next_seq_id, State).

take(_, 0, _, State, Taken) -> {lists:reverse(Taken), State};
take(Fun, Count, Env, State, Taken) ->
    case call(Env, Fun, State) of
        {{empty, _}, State1} -> {lists:reverse(Taken), State1};
        {{Value, _}, State1} -> take(Fun, Count - 1, Env, State1, [Value | Taken])
    end.

taken(Seqs, Wanted) ->
    Count = length(Seqs),
    #{seq => cq_vector:runs(Seqs), count => Count, empty => Count < Wanted}.

lengths([], Done) -> lists:reverse(Done);
lengths([Value | Rest], [[Value, N] | Done]) -> lengths(Rest, [[Value, N + 1] | Done]);
lengths([Value | Rest], Done) -> lengths(Rest, [[Value, 1] | Done]).

%% Tags in the order of the step: in one call (multiple), or one by one.
tags(Name, Fun, #{<<"tags">> := Runs, <<"multiple">> := Multiple}, Env, State) ->
    Tags = [Tag || [First, Last] <- Runs, Tag <- lists:seq(First, Last)],
    Calls = case Multiple of true -> [Tags]; false -> [[Tag] || Tag <- Tags] end,
    {Count, State1} = lists:foldl(fun(Some, {N, S}) ->
                                      {{Ids, _}, S1} = call(Env, fun(S2) -> Fun(Some, S2) end, S),
                                      {N + length(Ids), S1}
                                  end, {0, State}, Calls),
    {#{Name => Count}, State1}.

expired(#{<<"now_ms">> := Now}) ->
    Limit = ?EPOCH_US + Now * 1000,
    fun(#message_properties{expiry = Expiry}) -> Expiry =/= undefined andalso Expiry =< Limit end.

expiry(undefined) -> null;
expiry(#message_properties{expiry = undefined}) -> none;
expiry(#message_properties{expiry = Expiry}) -> (Expiry - ?EPOCH_US) div 1000.

%% --- messages ---

seq_of(Id, #{known := Known}) -> ets:lookup_element(Known, Id, 2).

messages(#{<<"count">> := Count} = Step, Env, FirstSeq) ->
    Pattern = maps:get(<<"pattern">>, Step, [[maps:get(<<"size">>, Step, 0), maps:get(<<"persistent">>, Step, false)]]),
    [message(I, lists:nth(I rem length(Pattern) + 1, Pattern), Step, Env, FirstSeq) || I <- lists:seq(0, Count - 1)].

%% A container as a channel and rabbit_classic_queue:deliver/3 make it.
message(I, [Size, Persistent], Step, #{config := Config, known := Known}, FirstSeq) ->
    Number = ets:update_counter(Known, next, 1) - 1,
    Id = erlang:md5(["cq-trace/2:", integer_to_list(Number)]),
    ets:insert(Known, {Id, FirstSeq + I}),
    #{<<"durable">> := Durable, <<"vhost">> := VHost, <<"queue">> := Queue} = Config,
    Mode = case Persistent of true -> 2; false -> 1 end,
    Encoded = #content{class_id = 60, properties = none, properties_bin = <<16#10, 0, Mode>>,
                       protocol = rabbit_framing_amqp_0_9_1,
                       payload_fragments_rev = case Size of 0 -> []; _ -> [body(Number, Size)] end},
    Content = rabbit_binary_parser:ensure_content_decoded(Encoded),
    {ok, Fresh} = mc_amqpl:message(rabbit_misc:r(VHost, exchange, <<>>), Queue, Content, #{}),
    Message = mc:prepare(store, mc:set_annotation(id, Id, mc:set_annotation(rts, ?EPOCH_MS, Fresh))),
    Expiry = case Step of
                 #{<<"expiry_ms">> := Ms} ->
                     ?EPOCH_US + (Ms + I * maps:get(<<"expiry_step_ms">>, Step, 0)) * 1000;
                 _ -> undefined
             end,
    Confirm = maps:get(<<"confirm">>, Step, false) andalso Persistent andalso Durable,
    {Message, #message_properties{expiry = Expiry, needs_confirming = Confirm, size = Size}}.

body(Number, Size) ->
    Alphabet = <<"abcdefghijklmnopqrstuvwxyz">>,
    binary:part(<<Number:64, (binary:copy(Alphabet, Size div 26 + 1))/binary>>, 0, Size).
