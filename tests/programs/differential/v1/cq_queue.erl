%% One incarnation of a queue: a process that owns a rabbit_variable_queue state and executes steps of a trace on it,
%% with frozen rates, stores settled after each call, and the mailbox drained at the end of each step.
-module(cq_queue).
-export([start/4, step/2, restart/2, crash_restart/3]).

-include_lib("rabbit_common/include/rabbit.hrl").

-define(BQ, rabbit_variable_queue).
-define(EPOCH_US, 1600000000000000).
-define(FAR_BELOW, -1000000000).
-define(CONVERTED_MS, 20000).

%% env: queue, config, rates, mode, stores, known (an ets table: message id -> seq, next -> message number)

%% Recover is `new` or recovery terms. The process is not linked: a crash is part of some traces.
start(Queue, Config, Recover, Known) ->
    Parent = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> init(Parent, Queue, Config, Recover, Known) end),
    {Pid, Monitor, await(Pid, Monitor)}.

%% Conversions end within a second or never.
step(Queue, #{<<"op">> := <<"set_mode">>} = Step) -> ask(Queue, {step, Step}, ?CONVERTED_MS);
step(Queue, Step) -> ask(Queue, {step, Step}).

%% Clean stop and start; the stores are settled in between.
restart({Pid, Monitor, _}, Name) ->
    ok = ask({Pid, Monitor, ok}, terminate),
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    Terms = cq_stores:restart(Name),
    {Terms, #{terms => shown(Terms)}}.

%% The process is gone without a word; torn leaves journal and segments as a crash in the middle of a flush does.
crash_restart({Pid, Monitor, _} = Queue, Name, Step) ->
    Kept = case maps:get(<<"torn">>, Step, false) of true -> ask(Queue, tear); false -> none end,
    exit(Pid, kill),
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
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

ask(Queue, Request) -> ask(Queue, Request, infinity).

ask({Pid, Monitor, _}, Request, LimitMs) ->
    Pid ! {request, self(), Request},
    await(Pid, Monitor, LimitMs).

await(Pid, Monitor) -> await(Pid, Monitor, infinity).

await(Pid, Monitor, LimitMs) ->
    receive
        {answer, Pid, Answer} -> Answer;
        {'DOWN', Monitor, process, Pid, Reason} -> error({queue_died, Reason})
    after LimitMs -> never_ends
    end.

init(Parent, Queue, Config, Recover, Known) ->
    Self = self(),
    Callback = fun(Module, Fun) -> Self ! {run_backing_queue, Module, Fun}, ok end,
    Stores = cq_stores:attach(),
    State0 = ?BQ:init(Queue, Recover, Callback),
    #{<<"rates">> := Rates, <<"mode">> := Mode} = Config,
    Env = #{config => Config, rates => Rates, stores => Stores, known => Known},
    {_, State} = call(Env, fun(S) -> ?BQ:set_queue_mode(binary_to_atom(Mode), S) end, State0),
    {Outcome, State1} = finish(Env, #{}, State),
    Parent ! {answer, self(), Outcome},
    loop(Env, State1).

loop(Env, State) ->
    receive
        {request, From, {step, Step}} ->
            Env1 = case Step of #{<<"op">> := <<"rates">>, <<"rates">> := Rates} -> Env#{rates => Rates}; _ -> Env end,
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

%% --- how a call and a step are executed ---

%% Run Fun(State) with frozen rates; it returns the state, or {Value, State}, or a longer tuple that ends with it.
call(#{stores := Stores} = Env, Fun, State) ->
    Answer = Fun(frozen(Env, State)),
    cq_stores:settle(Stores),
    case element(1, Answer) of
        vqstate -> {ok, Answer};
        _ -> {Answer, element(tuple_size(Answer), Answer)}
    end.

frozen(#{rates := Values}, State) ->
    [In, Out, AckIn, AckOut] = [float(Value) || Value <- Values],
    Old = cq_fields:get(?BQ, rates, State),
    Rates = lists:foldl(fun({Name, Value}, R) -> cq_fields:set(?BQ, Name, Value, R) end, Old,
                        [{in, In}, {out, Out}, {ack_in, AckIn}, {ack_out, AckOut}]),
    lists:foldl(fun({Name, Value}, S) -> cq_fields:set(?BQ, Name, Value, S) end, State,
                [{rates, Rates}, {in_counter, ?FAR_BELOW}, {out_counter, ?FAR_BELOW}]).

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
    First = next_seq(State),
    Delivered = maps:get(<<"delivered">>, Step, false),
    Messages = [{Message, Props, Delivered} || {Message, Props} <- messages(Step, Env, First)],
    State1 =
        case maps:get(<<"batch">>, Step, false) of
            true ->
                then(call(Env, fun(S) -> ?BQ:batch_publish(Messages, self(), noflow, S) end, State));
            false ->
                fold(fun({M, P, D}, S) ->
                         then(call(Env, fun(S1) -> ?BQ:publish(M, P, D, self(), noflow, S1) end, S))
                     end, State, Messages)
        end,
    {#{seq => [First, next_seq(State1) - 1]}, State1};
op(<<"publish_delivered">>, Step, Env, State) ->
    First = next_seq(State),
    Messages = messages(Step, Env, First),
    State1 =
        case maps:get(<<"batch">>, Step, false) of
            true ->
                then(call(Env, fun(S) -> ?BQ:batch_publish_delivered(Messages, self(), noflow, S) end, State));
            false ->
                fold(fun({M, P}, S) ->
                         then(call(Env, fun(S1) -> ?BQ:publish_delivered(M, P, self(), noflow, S1) end, S))
                     end, State, Messages)
        end,
    {#{tags => [First, next_seq(State1) - 1]}, State1};
op(<<"fetch">>, #{<<"count">> := Count, <<"ack">> := Ack}, Env, State) ->
    {Taken, State1} = take(fun(S) -> ?BQ:fetch(Ack, S) end, Count, Env, State, []),
    Seqs = [seq_of(Message#basic_message.id, Env) || {Message, _, _} <- Taken],
    {(taken(Seqs, Count))#{delivered => flags([Flag || {_, Flag, _} <- Taken], [])}, State1};
op(<<"drop">>, #{<<"count">> := Count, <<"ack">> := Ack}, Env, State) ->
    {Taken, State1} = take(fun(S) -> ?BQ:drop(Ack, S) end, Count, Env, State, []),
    {taken([seq_of(Id, Env) || {Id, _} <- Taken], Count), State1};
op(<<"ack">>, Step, Env, State) ->
    tags(acked, fun(Tags, S) -> ?BQ:ack(Tags, S) end, Step, Env, State);
op(<<"requeue">>, Step, Env, State) ->
    tags(requeued, fun(Tags, S) -> ?BQ:requeue(Tags, S) end, Step, Env, State);
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
op(<<"set_target">>, #{<<"target">> := Target}, Env, State) ->
    Overwrite = fun(S) -> ?BQ:resume(cq_fields:set(?BQ, target_ram_count, amount(Target), S)) end,
    quietly(Overwrite, Env, State);
op(<<"set_duration">>, #{<<"duration">> := Duration}, Env, State) ->
    {_, State1} = call(Env, fun(S) -> ?BQ:set_ram_duration_target(amount(Duration), S) end, State),
    {#{target => cq_fields:get(?BQ, target_ram_count, State1)}, State1};
op(<<"set_mode">>, #{<<"mode">> := Mode}, Env, State) ->
    quietly(fun(S) -> ?BQ:set_queue_mode(binary_to_atom(Mode), S) end, Env, State);
op(<<"rates">>, _, _, State) -> {#{}, State};
op(<<"resume">>, _, Env, State) -> quietly(fun ?BQ:resume/1, Env, State);
op(<<"timeout">>, _, Env, State) -> quietly(fun ?BQ:timeout/1, Env, State);
op(<<"pre_hibernate">>, _, Env, State) -> quietly(fun ?BQ:handle_pre_hibernate/1, Env, State);
op(<<"needs_timeout">>, _, _, State) -> {#{needs_timeout => ?BQ:needs_timeout(State)}, State};
op(<<"drain_confirmed">>, _, Env, State) ->
    {{Ids, _}, State1} = call(Env, fun ?BQ:drain_confirmed/1, State),
    Seqs = lists:sort([seq_of(Id, Env) || Id <- Ids]),
    {#{confirmed => length(Ids), seq => cq_vector:runs(Seqs)}, State1}.

quietly(Fun, Env, State) -> {#{}, then(call(Env, Fun, State))}.

then({_, State}) -> State.

fold(Fun, State, List) -> lists:foldl(Fun, State, List).

next_seq(State) -> cq_fields:get(?BQ, next_seq_id, State).

amount(<<"infinity">>) -> infinity;
amount(Number) -> Number.

take(_, 0, _, State, Taken) -> {lists:reverse(Taken), State};
take(Fun, Count, Env, State, Taken) ->
    case call(Env, Fun, State) of
        {{empty, _}, State1} -> {lists:reverse(Taken), State1};
        {{Value, _}, State1} -> take(Fun, Count - 1, Env, State1, [Value | Taken])
    end.

taken(Seqs, Wanted) ->
    Count = length(Seqs),
    #{seq => cq_vector:runs(Seqs), count => Count, empty => Count < Wanted}.

flags([], Done) -> lists:reverse(Done);
flags([Flag | Rest], [[Flag, N] | Done]) -> flags(Rest, [[Flag, N + 1] | Done]);
flags([Flag | Rest], Done) -> flags(Rest, [[Flag, 1] | Done]).

tags(Name, Fun, #{<<"tags">> := Runs, <<"multiple">> := Multiple}, Env, State) ->
    Tags = lists:append([lists:seq(First, Last) || [First, Last] <- Runs]),
    Calls = case Multiple of true -> [Tags]; false -> [[Tag] || Tag <- Tags] end,
    {Count, State1} =
        lists:foldl(fun(Each, {N, S}) ->
                        {{Ids, _}, S1} = call(Env, fun(S0) -> Fun(Each, S0) end, S),
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

message(I, [Size, Persistent], Step, #{config := Config, known := Known}, FirstSeq) ->
    Number = ets:update_counter(Known, next, 1) - 1,
    Id = message_id(Number, Config),
    ets:insert(Known, {Id, FirstSeq + I}),
    #{<<"durable">> := Durable, <<"vhost">> := VHost, <<"queue">> := Queue} = Config,
    Mode = case Persistent of true -> 2; false -> 1 end,
    Content = #content{class_id = 60, properties = none, properties_bin = <<16#10, 0, Mode>>,
                       protocol = rabbit_framing_amqp_0_9_1,
                       payload_fragments_rev = case Size of 0 -> []; _ -> [body(Number, Size)] end},
    Message = #basic_message{exchange_name = rabbit_misc:r(VHost, exchange, <<>>), routing_keys = [Queue],
                             content = Content, id = Id, is_persistent = Persistent},
    Expiry = case Step of
                 #{<<"expiry_ms">> := Ms} ->
                     ?EPOCH_US + (Ms + I * maps:get(<<"expiry_step_ms">>, Step, 0)) * 1000;
                 _ -> undefined
             end,
    Confirm = maps:get(<<"confirm">>, Step, false) andalso Persistent andalso Durable,
    {Message, #message_properties{expiry = Expiry, needs_confirming = Confirm, size = Size}}.

%% Ids of the recorded traces, or ids with the prefix that the engine puts before its own numbers.
message_id(Number, #{<<"id_prefix">> := Prefix}) -> <<(list_to_binary(Prefix))/binary, Number:64>>;
message_id(Number, _) -> erlang:md5(["cq-trace/1:", integer_to_list(Number)]).

body(Number, Size) ->
    Alphabet = <<"abcdefghijklmnopqrstuvwxyz">>,
    binary:part(<<Number:64, (binary:copy(Alphabet, Size div 26 + 1))/binary>>, 0, Size).
