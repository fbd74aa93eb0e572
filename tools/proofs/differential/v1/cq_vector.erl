%% The complete state after a step, with the field names of the trace format. Long lists are shortened by the reader.
-module(cq_vector).
-export([vector/3, runs/1]).

vector(State, Stores, Durable) ->
    F = fun(Name) -> cq_fields:get(rabbit_variable_queue, Name, State) end,
    Queues = [lqueue:to_list(F(Name)) || Name <- [q1, q2, q3, q4]],
    [L1, L2, L3, L4] = [length(Q) || Q <- Queues],
    Indexed = count(index_on_disk, fun(Value) -> Value =:= true end, Queues),
    [_, I2, I3, _] = Indexed,
    {delta, Start, Count, Transient, End} = F(delta),
    Pending = [F(ram_pending_ack), F(disk_pending_ack), F(qi_pending_ack)],
    Names = [<<"q1">>, <<"q2">>, <<"q3">>, <<"q4">>],
    Base = #{
        len => F(len), q1 => L1, q2 => L2, q3 => L3, q4 => L4,
        delta => [null(Start), Count, Transient, null(End)],
        alphas => L1 + L4, betas => [L2 - I2, L3 - I3], gammas => [I2, I3],
        in_ram => count(msg, fun(Value) -> Value =/= undefined end, Queues),
        in_store => in_store(Queues),
        indexed => Indexed,
        seqs => maps:from_list([{Name, runs([status(seq_id, M) || M <- Q])}
                                || {Name, Q} <- lists:zip(Names, Queues), Q =/= []]),
        mode => F(mode), target_ram_count => F(target_ram_count),
        pending => [gb_trees:size(Tree) || Tree <- Pending],
        pending_tags => runs(lists:sort(lists:append([gb_trees:keys(Tree) || Tree <- Pending]))),
        reduce_run_count => F(memory_reduction_run_count),
        waiting_bump => F(waiting_bump), blocked => credit_flow:blocked(),
        qi => index(F(index_state))
    },
    Same = [next_seq_id, transient_threshold, ram_msg_count, ram_bytes, bytes, unacked_bytes,
            persistent_count, persistent_bytes, delta_transient_bytes, disk_read_count, disk_write_count],
    Sets = [unconfirmed, confirmed, msgs_on_disk, msg_indices_on_disk],
    maps:merge(
        maps:merge(delivered(State, Queues, Pending), maps:from_list([{Name, F(Name)} || Name <- Same] ++ [{Name, gb_sets:size(F(Name))} || Name <- Sets]
                       ++ [store(Store) || {_, _, _, Persistent} = Store <- Stores, Durable or not Persistent])),
        Base).

%% 3.8 says by a flag whether a body is in a store, later releases say where it is.
in_store(Queues) ->
    case cq_fields:has(rabbit_variable_queue, msg_status, msg_in_store) of
        true -> count(msg_in_store, fun(Value) -> Value =:= true end, Queues);
        false -> count(msg_location, fun(Value) -> Value =:= rabbit_msg_store end, Queues)
    end.

marks_entries() -> not cq_fields:has(rabbit_variable_queue, vqstate, next_deliver_seq_id).

%% 3.8 marks each entry that was delivered, later releases keep one number.
delivered(State, Queues, Pending) ->
    case marks_entries() of
        false ->
            #{next_deliver_seq_id => cq_fields:get(rabbit_variable_queue, next_deliver_seq_id, State)};
        true ->
            Fresh = [M || Tree <- Pending, M <- gb_trees:values(Tree), not status(is_delivered, M)],
            #{delivered => count(is_delivered, fun(Value) -> Value =:= true end, Queues),
              pending_undelivered => length(Fresh)}
    end.

status(Field, M) -> cq_fields:get(rabbit_variable_queue, Field, M).

count(Field, Wanted, Queues) ->
    [length([M || M <- Q, Wanted(status(Field, M))]) || Q <- Queues].

null(undefined) -> null;
null(Value) -> Value.

runs(Seqs) -> runs(Seqs, []).

runs([], Done) -> lists:reverse(Done);
runs([Seq | Rest], [[First, Last] | Done]) when Seq =:= Last + 1 -> runs(Rest, [[First, Seq] | Done]);
runs([Seq | Rest], Done) -> runs(Rest, [[Seq, Seq] | Done]).

%% --- the queue index ---

index(QI) ->
    F = fun(Name) -> cq_fields:get(rabbit_queue_index, Name, QI) end,
    Dir = F(dir),
    Cached = case marks_entries() of
                 true -> #{delivered_cache => length(F(delivered_cache))};
                 false -> #{}
             end,
    Cached#{files => lists:sort([[number(Path), filelib:file_size(Path)]
                           || Path <- filelib:wildcard(filename:join(Dir, "*.idx"))]),
      segments => lists:sort([segment(S) || S <- segments(F(segments))]),
      dirty => F(dirty_count),
      journal => [journal_size(filename:join(Dir, "journal.jif")), journal_buffered(F(journal_handle))],
      cache => length(F(pre_publish_cache)),
      unconfirmed => [gb_sets:size(F(unconfirmed)), gb_sets:size(F(unconfirmed_msg))]}.

segments({Map, Cached}) ->
    maps:values(maps:merge(Map, maps:from_list([{cq_fields:get(rabbit_queue_index, num, S), S} || S <- Cached]))).

segment(S) ->
    Entries = cq_fields:get(rabbit_queue_index, journal_entries, S),
    [cq_fields:get(rabbit_queue_index, num, S), cq_fields:get(rabbit_queue_index, unacked, S),
     array:sparse_foldl(fun(_, _, N) -> N + 1 end, 0, Entries)].

number(Path) -> list_to_integer(filename:basename(Path, filename:extension(Path))).

journal_size(Path) ->
    case filelib:is_regular(Path) of
        true -> filelib:file_size(Path);
        false -> null
    end.

journal_buffered(undefined) -> 0;
journal_buffered(Ref) ->
    cq_fields:get(file_handle_cache, write_buffer_size, get({Ref, fhc_handle})).

%% --- a message store ---

store({Pid, _, _, Persistent}) ->
    State = cq_stores:state(Pid),
    F = fun(Name) -> cq_fields:get(rabbit_msg_store, Name, State) end,
    Rows = lists:sort([{row(file, R), row(file_size, R), row(valid_total_size, R)}
                       || R <- ets:tab2list(F(file_summary_ets))]),
    Index = element(2, F(index_state)),
    {case Persistent of true -> store_persistent; false -> store_transient end,
     #{files => [tuple_to_list(R) || R <- Rows],
       disk => disk(F(dir), [[File, Size] || {File, Size, _} <- Rows]),
       current => F(current_file), valid => F(sum_valid_data), total => F(sum_file_size),
       index => ets:info(Index, size),
       zero_refs => length([1 || L <- ets:tab2list(Index), row(ref_count, L) =:= 0]),
       cache => ets:info(F(cur_file_cache_ets), size),
       credit => case get({credit_from, Pid}) of undefined -> null; Credit -> Credit end}}.

row(Field, Row) -> cq_fields:get(rabbit_msg_store, Field, Row).

disk(Dir, Expected) ->
    case lists:sort([[number(P), filelib:file_size(P)] || P <- filelib:wildcard(filename:join(Dir, "*.rdq"))]) of
        Expected -> same;
        Found -> Found
    end.
