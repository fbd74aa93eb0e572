%% The command line of a release, asked line after line in one virtual machine: it takes seconds to start one for each.
%% Started by ERL_AFLAGS before the escript itself, which therefore never begins; its archive is unpacked beside the node.
%% Protocol: packets of 4 bytes' length; words parted by 0; answered by the exit code in 4 bytes and what was printed.
-module(cq_console).

-export([serve/1]).

serve([Port, Directory]) ->
    Script = escript:script_name(),
    {ok, Sections} = escript:extract(Script, []),
    {ok, _} = zip:unzip(proplists:get_value(archive, Sections), [{cwd, Directory}]),
    Ebins = filelib:wildcard(filename:join([Directory, "*", "ebin"])),
    code:add_pathsa([Directory | Ebins]),
    {ok, _} = application:ensure_all_started(elixir),
    _ = application:ensure_all_started(rabbitmqctl),
    {ok, Listener} = gen_tcp:listen(
        list_to_integer(Port), [binary, {packet, 4}, {active, false}, {ip, {127, 0, 0, 1}}]
    ),
    {ok, Socket} = gen_tcp:accept(Listener),
    loop(Socket),
    halt(0).

loop(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Line} ->
            {Code, Text} = asked(binary:split(Line, <<0>>, [global])),
            ok = gen_tcp:send(Socket, [<<Code:32>>, Text]),
            loop(Socket);
        {error, closed} ->
            ok
    end.

asked(Words) ->
    Printed = spawn_link(fun() -> printed([]) end),
    Errors = whereis(standard_error),
    unregister(standard_error),
    register(standard_error, Printed),
    {Caller, Watch} = spawn_monitor(fun() ->
        group_leader(Printed, self()),
        case code:which(rabbitmqctl_escript) of
            non_existing -> exit({shutdown, run(Words)});
            _ -> 'Elixir.RabbitMQCtl':main(Words)  % up to 4.0 it exits as `run` does
        end
    end),
    Code =
        receive
            {'DOWN', Watch, process, Caller, {shutdown, Exit}} when is_integer(Exit) -> Exit;
            {'DOWN', Watch, process, Caller, normal} -> 0;
            {'DOWN', Watch, process, Caller, _} -> 1
        end,
    unregister(standard_error),
    register(standard_error, Errors),
    Printed ! {text, self()},
    receive
        {printed, Text} -> {Code, Text}
    end.

%% What `main` of 4.3 does before it ends the machine.
run(Words) ->
    Print = fun(Output, Command, Options) ->
        Formatter = 'Elixir.RabbitMQ.CLI.Core.Config':get_formatter(Command, Options),
        Printer = 'Elixir.RabbitMQ.CLI.Core.Config':get_printer(Command, Options),
        Formatted = 'Elixir.RabbitMQ.CLI.Core.Output':format_output(Output, Formatter, Options),
        'Elixir.RabbitMQ.CLI.Core.Output':print_output(Formatted, Printer, Options)
    end,
    case 'Elixir.RabbitMQCtl':exec_command(Words, Print) of
        {error, Code, nil} -> Code;
        {error, Code, Errors} ->
            [io:put_chars(standard_error, ['Elixir.RabbitMQ.CLI.Core.Helpers':string_or_inspect(Each), $\n])
             || Each <- lists:flatten([Errors])],
            Code;
        _ -> 0
    end.

printed(Kept) ->
    receive
        {io_request, From, Reply, Request} ->
            {Answer, More} = io(Request, Kept),
            From ! {io_reply, Reply, Answer},
            printed(More);
        {text, To} ->
            unlink(To),
            To ! {printed, lists:reverse(Kept)}
    end.

io({put_chars, Text}, Kept) -> io({put_chars, latin1, Text}, Kept);
io({put_chars, Encoding, Text}, Kept) -> {ok, [unicode:characters_to_binary(Text, Encoding, utf8) | Kept]};
io({put_chars, Encoding, Module, Function, Given}, Kept) ->
    io({put_chars, Encoding, apply(Module, Function, Given)}, Kept);
io({requests, Requests}, Kept) ->
    lists:foldl(fun(Each, {_, So}) -> io(Each, So) end, {ok, Kept}, Requests);
io({setopts, _}, Kept) -> {ok, Kept};
io(getopts, Kept) -> {[binary, {encoding, utf8}], Kept};
io({get_geometry, _}, Kept) -> {{error, enotsup}, Kept};
io(_, Kept) -> {eof, Kept}.
