%% What the node itself knows of its memory and disk, without asking a queue process: one that is woken reports an
%% infinite duration, and is not told to page.
-module(cq_sampler).
-export([sample/0, timers/0]).

%% Milliseconds until the node looks at its memory next, and until it computes how long messages may stay in RAM.
%% A node of 4.x has no such durations.
timers() ->
    Check = #{memory_check_ms => memory_check_ms()},
    case whereis(rabbit_memory_monitor) of
        undefined -> Check;
        _ -> Check#{memory_monitor_ms => memory_monitor_ms()}
    end.

memory_check_ms() ->
    [Timer] = [Each || Each <- tuple_to_list(sys:get_state(vm_memory_monitor)), is_reference(Each)],
    erlang:read_timer(Timer).

%% It has an interval, of which the timer server of Erlang/OTP 25 has a row: its name, and the timer that runs now.
memory_monitor_ms() ->
    {interval, Interval} = element(2, element(4, sys:get_state(rabbit_memory_monitor))),
    [{_, Timer}] = ets:lookup(sys:get_state(timer_server), Interval),
    erlang:read_timer(Timer).

sample() ->
    {Monitor, Limit} = vm_memory_monitor:get_memory_use(bytes),
    #{monitor => Monitor, limit => Limit, rss => resident(),
      total => erlang:memory(total), binary => erlang:memory(binary),
      processes => erlang:memory(processes), ets => erlang:memory(ets),
      alarm => [Resource || {{resource_limit, Resource, _}, _} <- rabbit_alarm:get_alarms()],
      ready => ready(), files => files()}.

resident() ->
    {ok, Text} = file:read_file("/proc/self/statm"),
    [_, Pages | _] = binary:split(Text, <<" ">>, [global]),
    4096 * binary_to_integer(Pages).

%% What the queues told by themselves, every five seconds.
ready() ->
    lists:sum([Ready || {_, Ready, _, _, _} <- ets:tab2list(queue_coarse_metrics), is_integer(Ready)]).

%% Since 4.1 no node counts what its stores read and write.
files() ->
    Counted = case code:which(file_handle_cache_stats) of
                  non_existing -> [];
                  _ -> file_handle_cache_stats:get()
              end,
    maps:from_list([{list_to_binary(lists:concat([Operation, '_', Counter])), Value}
                    || {{Operation, Counter}, Value} <- Counted]).
