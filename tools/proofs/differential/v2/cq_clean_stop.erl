%% Writes what a clean stop of a virtual host leaves, from a description in JSON: `recovery.dets`, and the persistent
%% store's `clean.dot` and tables (W94, S211, S212). Runs by itself, while no node has the directory.
-module(cq_clean_stop).
-export([main/1]).

-define(UNUSED, undefined).

main(File) ->
    {ok, Text} = file:read_file(File),
    #{<<"directory">> := Directory, <<"terms">> := Terms, <<"refs">> := Refs, <<"files">> := Files,
      <<"rows">> := Rows} = json:decode(Text),
    recovery_terms(filename:join(Directory, "recovery.dets"), Terms),
    Store = filename:join(Directory, "msg_store_persistent"),
    Clean = io_lib:format("~w.~n", [{client_refs, [binary:decode_hex(Ref) || Ref <- Refs]}]),
    ok = file:write_file(filename:join(Store, "clean.dot"), Clean),
    table(file_summary, Store, [{file_summary, Number, Valid, ?UNUSED, ?UNUSED, Size, false, ?UNUSED}
                                || [Number, Size, Valid] <- Files]),
    table(msg_store_index, Store, [{msg_location, binary:decode_hex(Id), Count, Number, Offset, Size}
                                   || [Id, Count, Number, Offset, Size] <- Rows]).

recovery_terms(Path, Terms) ->
    {ok, Table} = dets:open_file(recovery, [{file, binary_to_list(Path)}, {ram_file, true}, {auto_save, infinity}]),
    [ok = dets:insert(Table, {binary_to_list(Name), terms(Each)}) || {Name, Each} <- maps:to_list(Terms)],
    ok = dets:close(Table).

terms(#{<<"segments">> := Segments, <<"next_seq_id">> := Next, <<"delivered_by">> := By, <<"delivered_below">> := Below,
        <<"counted">> := Counted, <<"ref">> := Ref, <<"count">> := Count, <<"bytes">> := Bytes}) ->
    [{v2_index_state, {2, pairs(Segments)}}, {next_seq_id, Next}, {binary_to_atom(By), Below}]
        ++ [{delivery_count, pairs(Counted)} || Counted =/= null]
        ++ [{persistent_ref, binary:decode_hex(Ref)}, {persistent_count, Count}, {persistent_bytes, Bytes}].

pairs(Listed) -> maps:from_list([{Key, Value} || [Key, Value] <- Listed]).

table(Name, Store, Rows) ->
    Table = ets:new(Name, [set, public, {keypos, 2}]),
    true = ets:insert(Table, Rows),
    Path = filename:join(Store, atom_to_list(Name) ++ ".ets"),
    ok = ets:tab2file(Table, binary_to_list(iolist_to_binary(Path)), [{extended_info, [object_count]}]).
