%% What a client of the driver asks of the whole node: quiet, counts of all queues, policies, stop and start.
-module(cq_node).
-export([settled/1, queues/0, kill_queue/2, set_policy/1, clear_policy/1, clear/0, stop/0, start/0]).

-define(VHOST, <<"/">>).
-define(WHO, <<"interop">>).
-define(GAP_MS, 3).
-define(STABLE, 3).
-define(BEGINS_WITHIN_MS, 3000).
-define(TRIES, 20).

%% Wait until no process does anything: the node's count of reductions stands still over a few gaps.
settled(LimitMs) ->
    settled(work(), 0, erlang:monotonic_time(millisecond) + LimitMs).

settled(_, ?STABLE, _) -> true;
settled(Before, Stable, Until) ->
    timer:sleep(?GAP_MS),
    Now = work(),
    case {Now =:= Before, erlang:monotonic_time(millisecond) > Until} of
        {true, _} -> settled(Now, Stable + 1, Until);
        {false, false} -> settled(Now, 0, Until);
        {false, true} -> false
    end.

%% The reductions of all other processes. To ask each of them takes 10 ms of a processor; the schedulers' sum takes none,
%% and has all slices that ended: this process has just slept, so that all of its own are in both counts.
work() ->
    {reductions, Own} = process_info(self(), reductions),
    {All, _} = statistics(reductions),
    All - Own.

%% End a queue's process, from outside (`kill`) or by an error of its own (`error`), and wait until its supervisor has
%% begun another, or the queue is gone.
kill_queue(Name, How) ->
    Resource = rabbit_misc:r(?VHOST, queue, Name),
    case rabbit_amqqueue:lookup(Resource) of
        {ok, Queue} ->
            Pid = amqqueue:get_pid(Queue),
            case How of
                <<"kill">> -> exit(Pid, kill);
                <<"error">> -> gen_server2:cast(Pid, a_message_that_no_queue_knows)
            end,
            begun_again(Resource, Pid, erlang:monotonic_time(millisecond) + ?BEGINS_WITHIN_MS);
        _ -> gone
    end.

begun_again(Resource, Old, Until) ->
    timer:sleep(?GAP_MS),
    InTime = erlang:monotonic_time(millisecond) < Until,
    case rabbit_amqqueue:lookup(Resource) of
        {ok, Queue} ->
            Pid = amqqueue:get_pid(Queue),
            case Pid =/= Old andalso rabbit_misc:is_process_alive(Pid) of
                true -> begun;
                false when InTime -> begun_again(Resource, Old, Until);
                false -> down
            end;
        _ -> gone
    end.

%% Ready messages and consumers of each queue, asked for in a way that renews no lease.
queues() ->
    maps:from_list([{Name, Counts} || Queue <- rabbit_amqqueue:list(?VHOST),
                                      {resource, _, queue, Name} <- [amqqueue:get_name(Queue)],
                                      Counts <- counts(Queue)]).

counts(Queue) ->
    case catch rabbit_amqqueue:info(Queue, [messages_ready, consumers]) of
        [{messages_ready, Ready}, {consumers, Consumers}] -> [[Ready, Consumers]];
        _ -> []
    end.

set_policy(#{<<"name">> := Name, <<"pattern">> := Pattern, <<"definition">> := Definition} = Wish) ->
    ApplyTo = maps:get(<<"apply_to">>, Wish, <<"queues">>),
    Priority = integer_to_list(maps:get(<<"priority">>, Wish, 0)),
    case rabbit_policy:parse_set(?VHOST, Name, Pattern, rabbit_json:encode(Definition), Priority, ApplyTo, ?WHO) of
        ok -> #{};
        {error_string, Text} -> #{refused => iolist_to_binary(Text)}
    end.

clear_policy(Name) ->
    case rabbit_policy:delete(?VHOST, Name, ?WHO) of
        ok -> #{};
        {error_string, Text} -> #{refused => iolist_to_binary(Text)}
    end.

%% An empty virtual host: no connection, queue, exchange of a client's, or policy.
clear() ->
    [rabbit_policy:delete(?VHOST, proplists:get_value(name, Policy), ?WHO) || Policy <- rabbit_policy:list(?VHOST)],
    [delete_queue(amqqueue:get_name(Queue), ?TRIES) || Queue <- rabbit_amqqueue:list(?VHOST)],
    [rabbit_exchange:delete(Name, false, ?WHO)
     || {exchange, {resource, _, exchange, Plain} = Name, _, _, _, _, _, _, _, _, _, _} <- rabbit_exchange:list(?VHOST),
        Plain =/= <<>>, binary:match(Plain, <<"amq.">>) =/= {0, 4}],
    ok.

%% A queue that a program broke may die of its deletion; what its supervisor starts anew is deleted by the next try.
delete_queue(Name, Tries) ->
    case rabbit_amqqueue:lookup(Name) of
        {ok, Queue} ->
            case catch rabbit_amqqueue:delete(Queue, false, false, ?WHO) of
                {'EXIT', _} when Tries > 1 -> timer:sleep(100), delete_queue(Name, Tries - 1);
                {'EXIT', Reason} -> exit(Reason);
                _ -> ok
            end;
        _ -> ok
    end.

stop() -> rabbit:stop().
start() -> rabbit:start(), await().

await() ->
    case catch rabbit:is_running() of
        true -> ok;
        _ -> timer:sleep(20), await()
    end.
