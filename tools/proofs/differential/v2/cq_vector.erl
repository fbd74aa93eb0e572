%% The complete state after a step, with the field names of cq-trace/2. Long lists are shortened by the reader.
-module(cq_vector).
-export([vector/4, runs/1, terms/1]).

-define(BQ, rabbit_variable_queue).
-define(QI, rabbit_classic_queue_index_v2).
-define(QS, rabbit_classic_queue_store_v2).

%% Before holds the digests of all files after the last step; the answer is {vector, digests now}.
vector(State, Stores, Durable, Before) ->
    F = fun(Name) -> cq_fields:get(?BQ, Name, State) end,
    Index = F(index_state),
    Dir = unicode:characters_to_list(cq_fields:get(?QI, dir, Index)),
    Files = maps:from_list(
        found(Dir, "", [".qi", ".qs"])
        ++ lists:append([found(cq_fields:get(rabbit_msg_store, dir, cq_stores:state(Pid)), prefix(Type), [".rdq"])
                         || {Type, Pid, _} <- Stores])),
    Now = maps:map(fun(_, Data) -> sha(Data) end, Files),
    Changed = maps:filter(fun(Name, Data) ->
                              Data =/= <<>> andalso byte_size(Data) =< limit(Name)
                                  andalso maps:get(Name, Now) =/= maps:get(Name, Before, none)
                          end, Files),
    Hex = case map_size(Changed) of
              0 -> #{};
              _ -> #{hex => maps:map(fun(_, Data) -> binary:encode_hex(Data, lowercase) end, Changed)}
          end,
    Ram = F(ram_pending_ack),
    Disk = F(disk_pending_ack),
    Pending = lists:keysort(1, entries(Ram) ++ entries(Disk)),
    Base = #{
        lanes => #{head => flagged(lqueue:to_list(F(field([q_head, q3]))))},
        pending => [size_of(Ram), size_of(Disk)],
        pending_runs => flagged([Entry || {_, Entry} <- Pending]),
        pending_tags => runs([Seq || {Seq, _} <- Pending]),
        len => ?BQ:len(State),
        qi => index(Index, Files),
        qs => own_store(F(store_state), Files)
    },
    Numbers = [next_seq_id, transient_threshold, ram_msg_count, ram_bytes, bytes, unacked_bytes,
               persistent_count, persistent_bytes, disk_read_count, disk_write_count],
    Sets = [unconfirmed, unconfirmed_simple, confirmed, msgs_on_disk, msg_indices_on_disk],
    Shown = lists:foldl(fun maps:merge/2, Base, [
        maps:from_list([{Name, F(Name)} || Name <- Numbers]),
        maps:from_list([{Name, count(F(Name))} || Name <- Sets]),
        tail(F(field([q_tail, delta]))),
        marks(State),
        maps:from_list([{store_name(Type), shared(Store, Files, Durable)} || {Type, _, _} = Store <- Stores]),
        Hex]),
    {Shown, Now}.

%% The name that this release has for a field.
field([Name | Others]) ->
    case cq_fields:has(?BQ, vqstate, Name) of
        true -> Name;
        false -> field(Others)
    end.

tail({q_tail, Start, Count, End}) -> #{tail => [null(Start), Count, null(End)]};
tail({delta, Start, Count, Transient, End}) -> #{tail => [null(Start), Count, null(End)], tail_transient => Transient}.

%% 4.0 knows a message as delivered by its number, 4.3 counts deliveries.
marks(State) ->
    case cq_fields:has(?BQ, vqstate, next_deliver_seq_id) of
        true -> #{next_deliver_seq_id => cq_fields:get(?BQ, next_deliver_seq_id, State),
                  tail_transient_bytes => cq_fields:get(?BQ, delta_transient_bytes, State)};
        false -> #{redeliver_seq_id => cq_fields:get(?BQ, redeliver_seq_id, State),
                   delivery_count => counted(cq_fields:get(?BQ, delivery_count, State))}
    end.

counted(Map) -> [[Seq, N] || {Seq, N} <- lists:sort(maps:to_list(Map))].

null(undefined) -> null;
null(Value) -> Value.

count(Set) when is_map(Set) -> map_size(Set);
count(Set) ->
    case sets:is_set(Set) of
        true -> sets:size(Set);
        false -> gb_sets:size(Set)
    end.

size_of(Map) when is_map(Map) -> map_size(Map);
size_of(Tree) -> gb_trees:size(Tree).

entries(Map) when is_map(Map) -> maps:to_list(Map);
entries(Tree) -> gb_trees:to_list(Tree).

%% --- runs ---

runs(Seqs) -> runs(Seqs, []).

runs([], Done) -> lists:reverse(Done);
runs([Seq | Rest], [[First, Last] | Done]) when Seq =:= Last + 1 -> runs(Rest, [[First, Seq] | Done]);
runs([Seq | Rest], Done) -> runs(Rest, [[Seq, Seq] | Done]).

flagged(Entries) -> flagged([{status(seq_id, M), flags(M)} || M <- Entries], []).

flagged([], Done) -> lists:reverse(Done);
flagged([{Seq, Flags} | Rest], [[First, Last, Flags] | Done]) when Seq =:= Last + 1 ->
    flagged(Rest, [[First, Seq, Flags] | Done]);
flagged([{Seq, Flags} | Rest], Done) -> flagged(Rest, [[Seq, Seq, Flags] | Done]).

flags(M) ->
    list_to_binary([
        case status(is_persistent, M) of true -> $P; false -> $t end,
        case status(persist_to, M) of queue_store -> $q; msg_store -> $s end,
        case status(msg_location, M) of memory -> $-; rabbit_msg_store -> $s; _ -> $q end,
        case status(msg, M) of undefined -> $-; _ -> $r end,
        case status(index_on_disk, M) of true -> $i; false -> $- end,
        case status(is_delivered, M) of true -> $d; undefined -> $u; false -> $- end]).

status(Field, M) -> cq_fields:get(?BQ, Field, M).

%% --- files ---

found(Dir, Prefix, Extensions) ->
    [{list_to_binary(Prefix ++ filename:basename(Path)), read(Path)}
     || Extension <- Extensions, Path <- filelib:wildcard(filename:join(Dir, "*" ++ Extension))].

read(Path) -> {ok, Data} = file:read_file(Path), Data.

limit(Name) ->
    case filename:extension(Name) of
        <<".qi">> -> 384;
        _ -> 640
    end.

sha(Data) ->
    <<First:8/binary, _/binary>> = crypto:hash(sha, Data),
    binary:encode_hex(First, lowercase).

prefix(msg_store_persistent) -> "p/";
prefix(msg_store_transient) -> "t/".

store_name(msg_store_persistent) -> store_persistent;
store_name(msg_store_transient) -> store_transient.

listed(Files, Prefix, Extension) ->
    lists:sort([[binary_to_integer(filename:basename(Name, Extension)), byte_size(Data), sha(Data)]
                || {Name, Data} <- maps:to_list(Files),
                   filename:extension(Name) =:= Extension, prefix_of(Name) =:= Prefix]).

prefix_of(<<"p/", _/binary>>) -> "p/";
prefix_of(<<"t/", _/binary>>) -> "t/";
prefix_of(_) -> "".

%% --- index and per-queue store ---

index(Index, Files) ->
    F = fun(Name) -> cq_fields:get(?QI, Name, Index) end,
    {Buffer, BufferAcks} = split(F(write_buffer)),
    {Cache, CacheAcks} = split(F(cache)),
    #{files => listed(Files, "", <<".qi">>),
      segments => lists:sort([[N, Live] || {N, Live} <- maps:to_list(F(segments))]),
      buffer => Buffer, buffer_acks => BufferAcks, updates => F(write_buffer_updates),
      cache => Cache, cache_acks => CacheAcks, confirms => count(F(confirms)),
      fds => lists:sort(maps:keys(F(fds)))}.

split(Map) ->
    Sorted = lists:sort(maps:to_list(Map)),
    {runs([Seq || {Seq, Entry} <- Sorted, Entry =/= ack]), runs([Seq || {Seq, ack} <- Sorted])}.

own_store(Store, Files) ->
    F = fun(Name) -> cq_fields:get(?QS, Name, Store) end,
    #{files => listed(Files, "", <<".qs">>),
      write_segment => null(F(write_segment)), write_offset => F(write_offset),
      buffer => runs(lists:sort(maps:keys(F(write_buffer)))), buffer_bytes => F(write_buffer_size),
      cache => runs(lists:sort(maps:keys(F(cache)))), read_segment => null(F(read_segment))}.

%% --- a shared store ---

shared({msg_store_persistent, _, _}, _, false) -> null;
shared({Type, Pid, _}, Files, _) ->
    State = cq_stores:state(Pid),
    F = fun(Name) -> cq_fields:get(rabbit_msg_store, Name, State) end,
    Refs = lists:foldl(fun(Row, Counts) ->
                           maps:update_with(row(ref_count, Row), fun(N) -> N + 1 end, 1, Counts)
                       end, #{}, ets:tab2list(F(index_ets))),
    #{files => lists:sort([[row(file, R), row(file_size, R), row(valid_total_size, R)]
                           || R <- ets:tab2list(F(file_summary_ets))]),
      disk => listed(Files, prefix(Type), <<".rdq">>),
      current => F(current_file), offset => F(current_file_offset),
      rows_by_refs => counted(Refs),
      cache => ets:info(F(cur_file_cache_ets), size), flying => ets:info(F(flying_ets), size),
      gc_candidates => lists:sort(maps:keys(F(gc_candidates))),
      gc_timer => case cq_timers:message(Pid) of
                      {maybe_gc, Set} -> lists:sort(maps:keys(Set));
                      none -> null
                  end,
      credit => case get({credit_from, Pid}) of undefined -> null; Credit -> Credit end}.

row(Field, Row) -> cq_fields:get(rabbit_msg_store, Field, Row).

%% --- recovery terms ---

terms(non_clean_shutdown) -> non_clean_shutdown;
terms(Terms) ->
    Names = [next_seq_id, next_deliver_seq_id, redeliver_seq_id, persistent_count, persistent_bytes],
    {Version, Segments} = proplists:get_value(v2_index_state, Terms),
    Plain = maps:from_list([{Name, proplists:get_value(Name, Terms)} || Name <- Names, proplists:is_defined(Name, Terms)]),
    Counted = case proplists:get_value(delivery_count, Terms) of
                  undefined -> #{};
                  Map -> #{delivery_count => counted(Map)}
              end,
    maps:merge(Plain#{v2_index_state => [Version, counted(Segments)]}, Counted).
