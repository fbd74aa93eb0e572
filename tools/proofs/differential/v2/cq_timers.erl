%% The timers of the shared stores and their collectors do not run: what they would send is kept, and sent when a step
%% says so. Their modules are loaded again from their own abstract code, with calls to this module in place of
%% erlang:start_timer/3.
-module(cq_timers).
-export([take_over/0, start/3, forget/0, message/1, fire/1]).

-define(TABLE, ?MODULE).
-define(MODULES, [rabbit_msg_store, rabbit_msg_store_gc]).

%% Once for a node, before stores are started on which steps are executed.
take_over() ->
    case ets:whereis(?TABLE) of
        undefined ->
            Self = self(),
            spawn(fun() ->
                      ?TABLE = ets:new(?TABLE, [named_table, public]),
                      Self ! made,
                      receive never -> ok end
                  end),
            receive made -> ok end,
            [ok = load(Module) || Module <- ?MODULES],
            ok;
        _ -> ok
    end.

load(Module) ->
    Path = code:which(Module),
    {ok, {Module, [{abstract_code, {_, Forms}}]}} = beam_lib:chunks(Path, [abstract_code]),
    {ok, Module, Beam} = compile:forms(replaced(Forms), [nowarn_unused_vars]),
    code:purge(Module),
    {module, Module} = code:load_binary(Module, Path, Beam),
    ok.

replaced({remote, L, {atom, M, erlang}, {atom, F, start_timer}}) ->
    {remote, L, {atom, M, ?MODULE}, {atom, F, start}};
replaced(Form) when is_tuple(Form) -> list_to_tuple(replaced(tuple_to_list(Form)));
replaced([Form | Rest]) -> [replaced(Form) | replaced(Rest)];
replaced(Form) -> Form.

start(_Ms, Pid, Message) ->
    Ref = make_ref(),
    true = ets:insert(?TABLE, {Pid, Ref, Message}),
    Ref.

forget() -> true = ets:delete_all_objects(?TABLE), ok.

message(Pid) ->
    case ets:lookup(?TABLE, Pid) of
        [{Pid, _, Message}] -> Message;
        [] -> none
    end.

%% Send what a timer would; return its message, or none where none is set.
fire(Pid) ->
    case ets:take(?TABLE, Pid) of
        [{Pid, Ref, Message}] -> Pid ! {timeout, Ref, Message}, Message;
        [] -> none
    end.
