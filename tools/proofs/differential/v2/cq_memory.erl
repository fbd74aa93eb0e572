%% What messages cost where: the parts of a queue's state, live bytes of processes after a collection, and tables.
-module(cq_memory).
-export([lived/1]).

-define(BQ, rabbit_variable_queue).
-define(QI, rabbit_classic_queue_index_v2).
-define(QS, rabbit_classic_queue_store_v2).

lived(Name) ->
    {ok, Queue} = rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, Name)),
    Pid = amqqueue:get_pid(Queue),
    Process = of_process(Pid),
    #{queue => Process, parts => gen_server2:with_state(Pid, fun parts/1),
      channels => [of_process(Each) || Each <- rabbit_channel:list_local()],
      tables => tables(), total => erlang:memory(total)}.

%% The used words of both generations, and each binary outside of the heap once.
of_process(Pid) ->
    true = erlang:garbage_collect(Pid),
    {garbage_collection_info, Info} = erlang:process_info(Pid, garbage_collection_info),
    Words = lists:sum([proplists:get_value(Name, Info) || Name <- [heap_size, old_heap_size, mbuf_size]]),
    {binary, Binaries} = erlang:process_info(Pid, binary),
    {memory, Memory} = erlang:process_info(Pid, memory),
    #{heap => Words * erlang:system_info(wordsize), memory => Memory,
      binary => lists:sum([Size || {_, Size} <- lists:usort([{Id, Size} || {Id, Size, _} <- Binaries])])}.

%% Entries and bytes of each part; what two parts share counts in both. It runs in the queue's process.
parts(State) ->
    Own = own(cq_fields:get(rabbit_amqqueue_process, backing_queue_state, State)),
    F = fun(Name) -> cq_fields:get(?BQ, Name, Own) end,
    I = fun(Name) -> cq_fields:get(?QI, Name, F(index_state)) end,
    S = fun(Name) -> cq_fields:get(?QS, Name, F(store_state)) end,
    Head = F(q_head),
    #{head => part(lqueue:len(Head), Head),
      unacked => part(map_size(F(ram_pending_ack)), F(ram_pending_ack)),
      unacked_on_disk => part(map_size(F(disk_pending_ack)), F(disk_pending_ack)),
      index_buffer => part(map_size(I(write_buffer)), I(write_buffer)),
      index_cache => part(map_size(I(cache)), I(cache)),
      body_buffer => part(map_size(S(write_buffer)), S(write_buffer)),
      body_cache => part(map_size(S(cache)), S(cache))}.

own({passthrough, _, State}) -> State;
own(State) -> State.

part(Count, Term) -> #{count => Count, bytes => erts_debug:size(Term) * erlang:system_info(wordsize)}.

%% Tables of the message stores, those of one name together: bytes and rows.
tables() ->
    lists:foldl(fun add/2, #{}, [Table || Table <- ets:all(), is_of_stores(ets:info(Table, name))]).

is_of_stores(undefined) -> false;
is_of_stores(Name) -> lists:prefix("rabbit_msg_store", atom_to_list(Name)).

add(Table, Found) ->
    Name = ets:info(Table, name),
    #{bytes := Bytes, count := Count} = maps:get(Name, Found, #{bytes => 0, count => 0}),
    Found#{Name => #{bytes => Bytes + ets:info(Table, memory) * erlang:system_info(wordsize),
                     count => Count + ets:info(Table, size)}}.
