%% The messages of a trace: made from a step, and known again by their ids. How a message with an id and a content looks in a
%% version, cq_queue:id/2 and cq_queue:message/4 say.
-module(cq_messages).
-export([messages/3, seq_of/2, expired/1, expiry/1]).

-include_lib("rabbit_common/include/rabbit.hrl").

-define(EPOCH_US, 1600000000000000).

seq_of(Id, #{known := Known}) -> ets:lookup_element(Known, Id, 2).

%% The messages of a step with their properties; the first one gets the sequence number FirstSeq.
messages(#{<<"count">> := Count} = Step, Env, FirstSeq) ->
    Pattern = maps:get(<<"pattern">>, Step, [[maps:get(<<"size">>, Step, 0), maps:get(<<"persistent">>, Step, false)]]),
    [message(I, lists:nth(I rem length(Pattern) + 1, Pattern), Step, Env, FirstSeq) || I <- lists:seq(0, Count - 1)].

message(I, [Size, Persistent], Step, #{config := Config, known := Known}, FirstSeq) ->
    Number = ets:update_counter(Known, next, 1) - 1,
    Id = cq_queue:id(Number, Config),
    ets:insert(Known, {Id, FirstSeq + I}),
    Mode = case Persistent of true -> 2; false -> 1 end,
    Content = #content{class_id = 60, properties = none, properties_bin = <<16#10, 0, Mode>>,
                       protocol = rabbit_framing_amqp_0_9_1,
                       payload_fragments_rev = case Size of 0 -> []; _ -> [body(Number, Size)] end},
    Expiry = case Step of
                 #{<<"expiry_ms">> := Ms} ->
                     ?EPOCH_US + (Ms + I * maps:get(<<"expiry_step_ms">>, Step, 0)) * 1000;
                 _ -> undefined
             end,
    Confirm = maps:get(<<"confirm">>, Step, false) andalso Persistent andalso maps:get(<<"durable">>, Config),
    {cq_queue:message(Id, Content, Persistent, Config),
     #message_properties{expiry = Expiry, needs_confirming = Confirm, size = Size}}.

body(Number, Size) ->
    Alphabet = <<"abcdefghijklmnopqrstuvwxyz">>,
    binary:part(<<Number:64, (binary:copy(Alphabet, Size div 26 + 1))/binary>>, 0, Size).

expired(#{<<"now_ms">> := Now}) ->
    Limit = ?EPOCH_US + Now * 1000,
    fun(#message_properties{expiry = Expiry}) -> Expiry =/= undefined andalso Expiry =< Limit end.

expiry(undefined) -> null;
expiry(#message_properties{expiry = undefined}) -> none;
expiry(#message_properties{expiry = Expiry}) -> (Expiry - ?EPOCH_US) div 1000.
