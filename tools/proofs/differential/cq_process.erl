%% The process in which one incarnation of a queue lives, as its owner sees it: {pid, monitor, what it answered first}.
%% It is not linked: a crash is part of some traces. What a crash means, cq_queue:died/1 of the version says.
-module(cq_process).
-export([start/1, ask/2, ask/3, ended/1, kill/1]).

%% Init(Parent) sends {answer, self(), Answer} to Parent, and one more for each {request, From, Request}.
start(Init) ->
    Parent = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> Init(Parent) end),
    {Pid, Monitor, await(Pid, Monitor, infinity)}.

ask(Queue, Request) -> ask(Queue, Request, infinity).

ask({Pid, Monitor, _}, Request, LimitMs) ->
    Pid ! {request, self(), Request},
    await(Pid, Monitor, LimitMs).

await(Pid, Monitor, LimitMs) ->
    receive
        {answer, Pid, Answer} -> Answer;
        {'DOWN', Monitor, process, Pid, Reason} -> cq_queue:died(Reason)
    after LimitMs -> never_ends
    end.

ended({Pid, Monitor, _}) -> receive {'DOWN', Monitor, process, Pid, _} -> ok end.

kill({Pid, _, _} = Queue) ->
    exit(Pid, kill),
    ended(Queue).
