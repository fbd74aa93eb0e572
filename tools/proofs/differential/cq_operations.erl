%% How a call is made, and the operations of a trace that queues of both versions have alike. Env of a queue's process:
%% config, rates (a function: the four frozen rates), stores, known (an ets table: message id -> seq, next -> message number).
%% The version's cq_queue says what its messages show: id_of/1, and shown_of/1 of those that were fetched.
-module(cq_operations).
-export([op/4, call/3, frozen/2, quietly/3, then/1, publish/5, one_by_one/2, tags/5, listed/1, lengths/1]).

-define(BQ, rabbit_variable_queue).
-define(FAR_BELOW, -1000000000).

%% Run Fun(State) with frozen rates; it returns the state, or {Value, State}, or a longer tuple that ends with it.
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

frozen(#{rates := Values}, State) ->
    [In, Out, AckIn, AckOut] = [float(Value) || Value <- Values()],
    Old = cq_fields:get(?BQ, rates, State),
    Rates = lists:foldl(fun({Name, Value}, R) -> cq_fields:set(?BQ, Name, Value, R) end, Old,
                        [{in, In}, {out, Out}, {ack_in, AckIn}, {ack_out, AckOut}]),
    lists:foldl(fun({Name, Value}, S) -> cq_fields:set(?BQ, Name, Value, S) end, State,
                [{rates, Rates}, {in_counter, ?FAR_BELOW}, {out_counter, ?FAR_BELOW}]).

op(<<"fetch">>, #{<<"count">> := Count, <<"ack">> := Ack}, Env, State) ->
    {Taken, State1} = take(fun(S) -> ?BQ:fetch(Ack, S) end, Count, Env, State, []),
    Messages = [Message || {Message, _, _} <- Taken],
    Seqs = [cq_messages:seq_of(cq_queue:id_of(Message), Env) || Message <- Messages],
    Shown = (cq_queue:shown_of(Messages))#{delivered => lengths([Flag || {_, Flag, _} <- Taken])},
    {maps:merge(taken(Seqs, Count), Shown), State1};
op(<<"drop">>, #{<<"count">> := Count, <<"ack">> := Ack}, Env, State) ->
    {Taken, State1} = take(fun(S) -> ?BQ:drop(Ack, S) end, Count, Env, State, []),
    {taken([cq_messages:seq_of(Id, Env) || {Id, _} <- Taken], Count), State1};
op(<<"ack">>, Step, Env, State) ->
    tags(acked, fun(Tags, S) -> ?BQ:ack(Tags, S) end, Step, Env, State);
op(<<"purge">>, _, Env, State) ->
    {{Count, _}, State1} = call(Env, fun ?BQ:purge/1, State),
    {#{purged => Count}, State1};
op(<<"purge_acks">>, _, Env, State) -> quietly(fun ?BQ:purge_acks/1, Env, State);
op(<<"dropwhile">>, Step, Env, State) ->
    {{Next, _}, State1} = call(Env, fun(S) -> ?BQ:dropwhile(cq_messages:expired(Step), S) end, State),
    {#{dropped => ?BQ:len(State) - ?BQ:len(State1), next_expiry_ms => cq_messages:expiry(Next)}, State1};
op(<<"fetchwhile">>, Step, Env, State) ->
    Add = fun(_, Tag, Tags) -> [Tag | Tags] end,
    Fetch = fun(S) -> ?BQ:fetchwhile(cq_messages:expired(Step), Add, [], S) end,
    {{Next, Tags, _}, State1} = call(Env, Fetch, State),
    {#{tags => cq_vector:runs(lists:reverse(Tags)), next_expiry_ms => cq_messages:expiry(Next)}, State1};
op(<<"resume">>, _, Env, State) -> quietly(fun ?BQ:resume/1, Env, State);
op(<<"timeout">>, _, Env, State) -> quietly(fun ?BQ:timeout/1, Env, State);
op(<<"pre_hibernate">>, _, Env, State) -> quietly(fun ?BQ:handle_pre_hibernate/1, Env, State);
op(<<"needs_timeout">>, _, _, State) -> {#{needs_timeout => ?BQ:needs_timeout(State)}, State};
op(<<"drain_confirmed">>, _, Env, State) ->
    {{Ids, _}, State1} = call(Env, fun ?BQ:drain_confirmed/1, State),
    Seqs = lists:sort([cq_messages:seq_of(Id, Env) || Id <- listed(Ids)]),
    {#{confirmed => length(Seqs), seq => cq_vector:runs(Seqs)}, State1}.

quietly(Fun, Env, State) -> {#{}, then(call(Env, Fun, State))}.

then({_, State}) -> State.

listed(Ids) when is_list(Ids) -> Ids;
listed(Ids) -> sets:to_list(Ids).

%% Publish a step's messages by Publish(Messages, State); the result has their numbers under Name.
publish(Name, Publish, Step, Env, State) ->
    First = next_seq(State),
    State1 = Publish(cq_messages:messages(Step, Env, First), State),
    {#{Name => [First, next_seq(State1) - 1]}, State1}.

%% What publishes messages by a call of One(Message, Properties, State) for each.
one_by_one(One, Env) ->
    fun(Messages, State) ->
        lists:foldl(fun({M, P}, S) -> then(call(Env, fun(S1) -> One(M, P, S1) end, S)) end, State, Messages)
    end.

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

%% Equal neighbours, each with how many there are.
lengths(Values) -> lengths(Values, []).

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
