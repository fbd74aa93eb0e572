%% Loaded into a private node: executes traces on the real rabbit_variable_queue for a client on the loopback. The modules
%% cq_queue, cq_stores and cq_vector are those of the version of its queues (v1, v2).
%% Each request and each answer is one JSON object in a frame with a 4-byte length.
-module(cq_driver).
-export([boot/0]).

%% Named on the command line of the node (-s cq_driver boot -cq_port PORT); serves as soon as the node runs.
boot() ->
    {ok, [[Port]]} = init:get_argument(cq_port),
    spawn(fun() -> listen(list_to_integer(Port)) end),
    ok.

listen(Port) ->
    await_rabbit(),
    {ok, Listener} = gen_tcp:listen(Port, [binary, {packet, 4}, {active, false}, {ip, {127, 0, 0, 1}},
                                           {reuseaddr, true}]),
    accept(Listener).

await_rabbit() ->
    case catch rabbit:is_running() of
        true -> ok;
        _ -> timer:sleep(100), await_rabbit()
    end.

accept(Listener) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    {Pid, Monitor} = spawn_monitor(fun() -> receive go -> serve(Socket, none) end end),
    ok = gen_tcp:controlling_process(Socket, Pid),
    Pid ! go,
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    accept(Listener).

serve(Socket, Session) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Text} ->
            {Answer, Session1} = try_handle(rabbit_json:decode(Text), Session),
            ok = gen_tcp:send(Socket, rabbit_json:encode(Answer)),
            serve(Socket, Session1);
        {error, closed} ->
            abandon(Session),
            cq_stores:release()
    end.

try_handle(Request, Session) ->
    try
        handle(Request, Session)
    catch
        Class:Reason:Stack ->
            abandon(Session),
            Text = io_lib:format("~p: ~P at ~P", [Class, Reason, 40, Stack, 20]),
            {#{error => unicode:characters_to_binary(Text)}, none}
    end.

%% The session: {queue record, configuration, running queue, table of known messages}
handle(#{<<"do">> := <<"about">>}, Session) ->
    {ok, Version} = application:get_key(rabbit, vsn),
    {#{version => list_to_binary(Version), otp => list_to_binary(erlang:system_info(otp_release)),
       directory => unicode:characters_to_binary(cq_stores:directory())}, Session};
handle(#{<<"do">> := <<"vhost">>, <<"name">> := Name}, Session) ->
    rabbit_vhost:add(Name, <<"interop">>),
    Guest = <<"guest">>,
    rabbit_auth_backend_internal:set_permissions(Guest, Name, <<".*">>, <<".*">>, <<".*">>, <<"interop">>),
    {#{added => Name}, Session};
handle(#{<<"do">> := <<"settled">>, <<"limit_ms">> := LimitMs}, Session) ->
    {#{settled => cq_node:settled(LimitMs)}, Session};
handle(#{<<"do">> := <<"timers">>}, Session) ->
    {cq_sampler:timers(), Session};
handle(#{<<"do">> := <<"sample">>}, Session) ->
    {cq_sampler:sample(), Session};
handle(#{<<"do">> := <<"memory">>, <<"queue">> := Name}, Session) ->
    {cq_memory:lived(Name), Session};
handle(#{<<"do">> := <<"queues">>}, Session) ->
    {#{queues => cq_node:queues()}, Session};
handle(#{<<"do">> := <<"kill_queue">>, <<"queue">> := Name} = Wish, Session) ->
    {#{queue => cq_node:kill_queue(Name, maps:get(<<"how">>, Wish, <<"kill">>))}, Session};
handle(#{<<"do">> := <<"set_policy">>} = Wish, Session) ->
    {cq_node:set_policy(Wish), Session};
handle(#{<<"do">> := <<"clear_policy">>, <<"name">> := Name}, Session) ->
    {cq_node:clear_policy(Name), Session};
handle(#{<<"do">> := <<"clear">>}, Session) ->
    ok = vm_memory_monitor:set_vm_memory_high_watermark(0.4),
    ok = cq_node:clear(),
    {#{}, Session};
handle(#{<<"do">> := <<"watermark">>, <<"share">> := Share}, Session) ->
    ok = vm_memory_monitor:set_vm_memory_high_watermark(Share),
    {#{}, Session};
handle(#{<<"do">> := <<"restart_app">>}, Session) ->
    ok = cq_node:stop(),
    ok = cq_node:start(),
    {#{}, Session};
handle(#{<<"do">> := <<"halt">>}, _) ->
    ok = cq_node:stop(),
    _ = application:stop(mnesia),
    halt(0);
handle(#{<<"do">> := <<"begin">>, <<"config">> := Config}, Old) ->
    abandon(Old),
    ok = cq_stores:begin_empty(Config),
    Known = ets:new(known, [public]),
    ets:insert(Known, {next, 0}),
    Queue = queue_record(Config),
    start(Queue, Config, new, Known);
handle(#{<<"do">> := <<"step">>, <<"step">> := #{<<"op">> := <<"restart">>}}, {Queue, Config, Running, Known}) ->
    {Terms, Result} = cq_queue:restart(Running, amqqueue:get_name(Queue)),
    started_again(Result, start(Queue, Config, Terms, Known));
handle(#{<<"do">> := <<"step">>, <<"step">> := #{<<"op">> := <<"crash_restart">>} = Step},
       {Queue, Config, Running, Known}) ->
    {Terms, Result} = cq_queue:crash_restart(Running, amqqueue:get_name(Queue), Step),
    started_again(Result, start(Queue, Config, Terms, Known));
handle(#{<<"do">> := <<"step">>, <<"step">> := Step}, {Queue, Config, Running, Known} = Session) ->
    case cq_queue:step(Running, Step) of
        never_ends ->  % a 3.8 converts to lazy for ever (V5): nothing more comes of this queue
            abandon(Session),
            {#{result => #{never_ends => true}}, none};
        Answer ->
            {Answer, {Queue, remember(Step, Config), Running, Known}}
    end.

start(Queue, Config, Recover, Known) ->
    Running = {_, _, Outcome} = cq_queue:start(Queue, Config, Recover, Known),
    {Outcome, {Queue, Config, Running, Known}}.

%% What the process died of, if it did while it started, tells more than its terms.
started_again(Result, {Answer, Session}) -> {maps:merge(#{result => Result}, Answer), Session}.

abandon({_, _, {Pid, Monitor, _}, _}) ->
    exit(Pid, kill),
    receive {'DOWN', Monitor, process, Pid, _} -> ok after 0 -> ok end;
abandon(none) -> ok.

%% Rates and mode outlive a restart.
remember(#{<<"op">> := <<"rates">>, <<"rates">> := Rates}, Config) -> Config#{<<"rates">> => Rates};
remember(#{<<"op">> := <<"set_mode">>, <<"mode">> := Mode}, Config) -> Config#{<<"mode">> => Mode};
remember(_, Config) -> Config.

queue_record(#{<<"queue">> := Name, <<"durable">> := Durable}) ->
    VHost = cq_stores:vhost(),
    amqqueue:new(rabbit_misc:r(VHost, queue, Name), none, Durable, false, none, [], VHost, #{},
                 rabbit_classic_queue).
