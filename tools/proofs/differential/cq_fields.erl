%% Fields of the broker's own records, by name. The packaged modules carry their abstract code, so no copy of a
%% record definition has to be kept here (and none can be out of date).
-module(cq_fields).
-export([get/3, set/4, new/2, has/3]).

get(Module, Field, Record) ->
    element(place(Module, element(1, Record), Field), Record).

%% Whether a release's record has a field.
has(Module, Name, Field) -> lists:member(Field, fields(Module, Name)).

set(Module, Field, Value, Record) ->
    setelement(place(Module, element(1, Record), Field), Record, Value).

%% A record with all fields undefined.
new(Module, Name) ->
    erlang:make_tuple(length(fields(Module, Name)) + 1, undefined, [{1, Name}]).

place(Module, Name, Field) ->
    position(Field, fields(Module, Name), 2).

position(Field, [Field | _], N) -> N;
position(Field, [_ | Rest], N) -> position(Field, Rest, N + 1).

fields(Module, Name) ->
    Key = {?MODULE, Module, Name},
    case persistent_term:get(Key, undefined) of
        undefined ->
            Fields = read(Module, Name),
            persistent_term:put(Key, Fields),
            Fields;
        Fields ->
            Fields
    end.

read(Module, Name) ->
    {ok, Beam, _} = erl_prim_loader:get_file(code:which(Module)),  % 3.8 keeps its modules in archives
    {ok, {Module, [{abstract_code, {_, Forms}}]}} = beam_lib:chunks(Beam, [abstract_code]),
    [Fields] = [F || {attribute, _, record, {N, F}} <- Forms, N =:= Name],
    [field(F) || F <- Fields].

field({typed_record_field, F, _}) -> field(F);
field({record_field, _, {atom, _, Name}}) -> Name;
field({record_field, _, {atom, _, Name}, _}) -> Name.
