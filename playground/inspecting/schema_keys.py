"""The keys of rabbitmq.conf by release, from their schemas; tools/schema_keys.py writes it."""

from __future__ import annotations

from typing import Final

RELEASES: Final = ("3.8.9", "3.10.8", "4.0.5", "4.3.6")
KEYS: Final = {
    "01": """
amqp1_0.default_user amqp1_0.default_vhost amqp1_0.protocol_strict_mode
cluster_formation.randomized_startup_delay_range.max cluster_formation.randomized_startup_delay_range.min
management.enable_uaa management.uaa_client_id management.uaa_location mqtt.default_pass mqtt.default_user
""",
    "012": """
auth_ldap.ssl_options.cacerts.$ cluster_formation.etcd.ssl_options.cacerts.$ log.syslog.ssl_options.cacerts.$
management.listener.ssl_opts.cacerts.$ ssl_options.cacerts.$ trust_store.ssl_options.cacerts.$
""",
    "0123": """
auth_backends.$ auth_backends.$.authn auth_backends.$.authz auth_cache.cache_module auth_cache.cache_refusals
auth_cache.cache_ttl auth_cache.cached_backend auth_cache.cached_backend.authn auth_cache.cached_backend.authz
auth_http.http_method auth_http.resource_path auth_http.topic_path auth_http.user_path auth_http.vhost_path
auth_ldap.connection_pool_size auth_ldap.dn_lookup_attribute auth_ldap.dn_lookup_base auth_ldap.dn_lookup_bind
auth_ldap.dn_lookup_bind.password auth_ldap.dn_lookup_bind.user_dn auth_ldap.group_lookup_base
auth_ldap.idle_timeout auth_ldap.log auth_ldap.other_bind auth_ldap.other_bind.password auth_ldap.other_bind.user_dn
auth_ldap.port auth_ldap.servers auth_ldap.servers.$ auth_ldap.ssl_options auth_ldap.ssl_options.cacertfile
auth_ldap.ssl_options.cert auth_ldap.ssl_options.certfile auth_ldap.ssl_options.client_renegotiation
auth_ldap.ssl_options.crl_check auth_ldap.ssl_options.depth auth_ldap.ssl_options.dh auth_ldap.ssl_options.dhfile
auth_ldap.ssl_options.fail_if_no_peer_cert auth_ldap.ssl_options.honor_cipher_order
auth_ldap.ssl_options.honor_ecc_order auth_ldap.ssl_options.key.DSAPrivateKey
auth_ldap.ssl_options.key.PrivateKeyInfo auth_ldap.ssl_options.key.RSAPrivateKey auth_ldap.ssl_options.keyfile
auth_ldap.ssl_options.log_alert auth_ldap.ssl_options.password auth_ldap.ssl_options.psk_identity
auth_ldap.ssl_options.reuse_sessions auth_ldap.ssl_options.secure_renegotiate auth_ldap.ssl_options.verify
auth_ldap.ssl_options.versions.$ auth_ldap.timeout auth_ldap.use_ssl auth_ldap.use_starttls
auth_ldap.user_bind_pattern auth_ldap.user_dn_pattern auth_mechanisms.$ background_gc_enabled
background_gc_target_interval channel_max cluster_formation.aws.access_key_id cluster_formation.aws.instance_tags
cluster_formation.aws.instance_tags.$ cluster_formation.aws.region cluster_formation.aws.secret_key
cluster_formation.aws.use_autoscaling_group cluster_formation.aws.use_private_ip
cluster_formation.classic_config.nodes.$ cluster_formation.consul.acl_token cluster_formation.consul.cluster_name
cluster_formation.consul.deregister_after cluster_formation.consul.domain_suffix cluster_formation.consul.host
cluster_formation.consul.include_nodes_with_warnings cluster_formation.consul.lock_prefix
cluster_formation.consul.lock_timeout cluster_formation.consul.lock_wait_time cluster_formation.consul.port
cluster_formation.consul.scheme cluster_formation.consul.svc cluster_formation.consul.svc_addr
cluster_formation.consul.svc_addr_auto cluster_formation.consul.svc_addr_nic
cluster_formation.consul.svc_addr_use_nodename cluster_formation.consul.svc_meta cluster_formation.consul.svc_meta.$
cluster_formation.consul.svc_port cluster_formation.consul.svc_tags cluster_formation.consul.svc_tags.$
cluster_formation.consul.svc_ttl cluster_formation.consul.use_longname cluster_formation.discovery_retry_interval
cluster_formation.discovery_retry_limit cluster_formation.dns.hostname cluster_formation.etcd.cluster_name
cluster_formation.etcd.endpoints cluster_formation.etcd.endpoints.$ cluster_formation.etcd.host
cluster_formation.etcd.key_prefix cluster_formation.etcd.lock_timeout cluster_formation.etcd.lock_wait_time
cluster_formation.etcd.node_ttl cluster_formation.etcd.password cluster_formation.etcd.port
cluster_formation.etcd.scheme cluster_formation.etcd.ssl_options cluster_formation.etcd.ssl_options.cacertfile
cluster_formation.etcd.ssl_options.cert cluster_formation.etcd.ssl_options.certfile
cluster_formation.etcd.ssl_options.ciphers.$ cluster_formation.etcd.ssl_options.crl_check
cluster_formation.etcd.ssl_options.depth cluster_formation.etcd.ssl_options.dh
cluster_formation.etcd.ssl_options.dhfile cluster_formation.etcd.ssl_options.fail_if_no_peer_cert
cluster_formation.etcd.ssl_options.key.DSAPrivateKey cluster_formation.etcd.ssl_options.key.PrivateKeyInfo
cluster_formation.etcd.ssl_options.key.RSAPrivateKey cluster_formation.etcd.ssl_options.keyfile
cluster_formation.etcd.ssl_options.log_alert cluster_formation.etcd.ssl_options.password
cluster_formation.etcd.ssl_options.psk_identity cluster_formation.etcd.ssl_options.reuse_sessions
cluster_formation.etcd.ssl_options.secure_renegotiate cluster_formation.etcd.ssl_options.verify
cluster_formation.etcd.ssl_options.versions.$ cluster_formation.etcd.username cluster_formation.k8s.address_type
cluster_formation.k8s.cert_path cluster_formation.k8s.host cluster_formation.k8s.hostname_suffix
cluster_formation.k8s.namespace_path cluster_formation.k8s.port cluster_formation.k8s.scheme
cluster_formation.k8s.service_name cluster_formation.k8s.token_path cluster_formation.lock_retry_limit
cluster_formation.lock_retry_timeout cluster_formation.node_cleanup.interval
cluster_formation.node_cleanup.only_log_warning cluster_formation.node_type cluster_formation.peer_discovery_backend
cluster_formation.proxy.http_proxy cluster_formation.proxy.https_proxy cluster_formation.proxy.proxy_exclusions.$
cluster_keepalive_interval cluster_name cluster_partition_handling
cluster_partition_handling.pause_if_all_down.nodes.$ cluster_partition_handling.pause_if_all_down.recover
collect_statistics collect_statistics_interval connection_max consumer_timeout credential_validator.min_length
credential_validator.regexp credential_validator.validation_backend default_pass default_permissions.configure
default_permissions.read default_permissions.write default_user default_user_tags.$ default_vhost
default_worker_pool_size delegate_count disk_free_limit.absolute disk_free_limit.relative distributed_cookie
erlang.K erlang.W erlang.async_threads erlang.async_threads.stack_size erlang.crash_dump
erlang.distribution.interface erlang.distribution.net_ticktime erlang.distribution.port_range.maximum
erlang.distribution.port_range.minimum erlang.distribution_buffer_size erlang.fullsweep_after erlang.max_ets_tables
erlang.max_ports erlang.process_limit erlang.schedulers.compaction_of_load erlang.schedulers.force_wakeup_interval
erlang.schedulers.online erlang.schedulers.total erlang.schedulers.utilization_balancing erlang.smp
event_exchange.vhost frame_max handshake_timeout heartbeat hipe_compile initial_frame_max listeners.ssl
listeners.ssl.$ listeners.tcp listeners.tcp.$ load_definitions log.channel.file log.channel.level
log.connection.file log.connection.level log.console log.console.level log.default.level log.dir log.exchange
log.exchange.level log.federation.file log.federation.level log.file log.file.level log.file.rotation.count
log.file.rotation.date log.file.rotation.size log.mirroring.file log.mirroring.level log.queue.file log.queue.level
log.ra.file log.ra.level log.syslog log.syslog.facility log.syslog.host log.syslog.identity log.syslog.ip
log.syslog.level log.syslog.multiline_mode log.syslog.port log.syslog.protocol log.syslog.ssl_options.cacertfile
log.syslog.ssl_options.cert log.syslog.ssl_options.certfile log.syslog.ssl_options.client_renegotiation
log.syslog.ssl_options.crl_check log.syslog.ssl_options.depth log.syslog.ssl_options.dh
log.syslog.ssl_options.dhfile log.syslog.ssl_options.fail_if_no_peer_cert log.syslog.ssl_options.honor_cipher_order
log.syslog.ssl_options.honor_ecc_order log.syslog.ssl_options.key.DSAPrivateKey
log.syslog.ssl_options.key.PrivateKeyInfo log.syslog.ssl_options.key.RSAPrivateKey log.syslog.ssl_options.keyfile
log.syslog.ssl_options.log_alert log.syslog.ssl_options.password log.syslog.ssl_options.psk_identity
log.syslog.ssl_options.reuse_sessions log.syslog.ssl_options.secure_renegotiate log.syslog.ssl_options.verify
log.syslog.ssl_options.versions.$ log.syslog.transport log.upgrade.file log.upgrade.level loopback_users
loopback_users.$ management.cors.allow_origins management.cors.allow_origins.$ management.cors.max_age
management.csp.policy management.db_cache_multiplier management.disable_basic_auth management.disable_stats
management.enable_queue_totals management.hsts.policy management.http.max_body_size management.http_log_dir
management.listener.ip management.listener.port management.listener.server.compress
management.listener.server.idle_timeout management.listener.server.inactivity_timeout
management.listener.server.max_keepalive management.listener.server.request_timeout
management.listener.server.shutdown_timeout management.listener.ssl management.listener.ssl_opts
management.listener.ssl_opts.cacertfile management.listener.ssl_opts.cert management.listener.ssl_opts.certfile
management.listener.ssl_opts.client_renegotiation management.listener.ssl_opts.crl_check
management.listener.ssl_opts.depth management.listener.ssl_opts.dh management.listener.ssl_opts.dhfile
management.listener.ssl_opts.fail_if_no_peer_cert management.listener.ssl_opts.honor_cipher_order
management.listener.ssl_opts.honor_ecc_order management.listener.ssl_opts.key.DSAPrivateKey
management.listener.ssl_opts.key.PrivateKeyInfo management.listener.ssl_opts.key.RSAPrivateKey
management.listener.ssl_opts.keyfile management.listener.ssl_opts.log_alert management.listener.ssl_opts.password
management.listener.ssl_opts.psk_identity management.listener.ssl_opts.reuse_sessions
management.listener.ssl_opts.secure_renegotiate management.listener.ssl_opts.verify
management.listener.ssl_opts.versions.$ management.load_definitions management.login_session_timeout
management.path_prefix management.rates_mode management.sample_retention_policies.$.$ management.ssl.backlog
management.ssl.cacertfile management.ssl.certfile management.ssl.ciphers.$ management.ssl.client_renegotiation
management.ssl.compress management.ssl.depth management.ssl.fail_if_no_peer_cert management.ssl.honor_cipher_order
management.ssl.honor_ecc_order management.ssl.idle_timeout management.ssl.inactivity_timeout management.ssl.ip
management.ssl.keyfile management.ssl.max_keepalive management.ssl.password management.ssl.port
management.ssl.request_timeout management.ssl.reuse_sessions management.ssl.secure_renegotiate
management.ssl.shutdown_timeout management.ssl.verify management.ssl.versions.$ management.tcp.compress
management.tcp.idle_timeout management.tcp.inactivity_timeout management.tcp.ip management.tcp.max_keepalive
management.tcp.port management.tcp.request_timeout management.tcp.shutdown_timeout
management_agent.disable_metrics_collector max_message_size memory_monitor_interval message_store_shutdown_timeout
mirroring_sync_batch_size mnesia_table_loading_retry_limit mnesia_table_loading_retry_timeout motd_file
mqtt.allow_anonymous mqtt.exchange mqtt.listeners.ssl mqtt.listeners.ssl.$ mqtt.listeners.tcp mqtt.listeners.tcp.$
mqtt.num_acceptors.ssl mqtt.num_acceptors.tcp mqtt.prefetch mqtt.proxy_protocol mqtt.retained_message_store
mqtt.retained_message_store_dets_sync_interval mqtt.sparkplug mqtt.ssl_cert_login mqtt.subscription_ttl
mqtt.tcp_listen_options mqtt.tcp_listen_options.backlog mqtt.tcp_listen_options.buffer
mqtt.tcp_listen_options.delay_send mqtt.tcp_listen_options.dontroute mqtt.tcp_listen_options.exit_on_close
mqtt.tcp_listen_options.fd mqtt.tcp_listen_options.high_msgq_watermark mqtt.tcp_listen_options.high_watermark
mqtt.tcp_listen_options.keepalive mqtt.tcp_listen_options.linger.on mqtt.tcp_listen_options.linger.timeout
mqtt.tcp_listen_options.low_msgq_watermark mqtt.tcp_listen_options.low_watermark mqtt.tcp_listen_options.nodelay
mqtt.tcp_listen_options.port mqtt.tcp_listen_options.priority mqtt.tcp_listen_options.recbuf
mqtt.tcp_listen_options.send_timeout mqtt.tcp_listen_options.send_timeout_close mqtt.tcp_listen_options.sndbuf
mqtt.tcp_listen_options.tos mqtt.vhost net_ticktime nodename num_acceptors.ssl num_acceptors.tcp
password_hashing_module product.name product.version prometheus.path prometheus.return_per_object_metrics
prometheus.ssl.backlog prometheus.ssl.cacertfile prometheus.ssl.certfile prometheus.ssl.ciphers.$
prometheus.ssl.client_renegotiation prometheus.ssl.compress prometheus.ssl.depth prometheus.ssl.fail_if_no_peer_cert
prometheus.ssl.honor_cipher_order prometheus.ssl.honor_ecc_order prometheus.ssl.idle_timeout
prometheus.ssl.inactivity_timeout prometheus.ssl.ip prometheus.ssl.keyfile prometheus.ssl.max_keepalive
prometheus.ssl.password prometheus.ssl.port prometheus.ssl.request_timeout prometheus.ssl.reuse_sessions
prometheus.ssl.secure_renegotiate prometheus.ssl.shutdown_timeout prometheus.ssl.verify prometheus.ssl.versions.$
prometheus.tcp.compress prometheus.tcp.idle_timeout prometheus.tcp.inactivity_timeout prometheus.tcp.ip
prometheus.tcp.max_keepalive prometheus.tcp.port prometheus.tcp.request_timeout prometheus.tcp.shutdown_timeout
proxy_protocol queue_index_embed_msgs_below queue_master_locator raft.data_dir raft.segment_max_entries
raft.snapshot_chunk_size raft.wal_hibernate_after raft.wal_max_batch_size raft.wal_max_entries
raft.wal_max_size_bytes reverse_dns_lookups socket_writer.gc_threshold ssl_allow_poodle_attack ssl_cert_login_from
ssl_handshake_timeout ssl_options ssl_options.cacertfile ssl_options.cert ssl_options.certfile ssl_options.ciphers.$
ssl_options.client_renegotiation ssl_options.crl_check ssl_options.depth ssl_options.dh ssl_options.dhfile
ssl_options.fail_if_no_peer_cert ssl_options.honor_cipher_order ssl_options.honor_ecc_order
ssl_options.key.DSAPrivateKey ssl_options.key.PrivateKeyInfo ssl_options.key.RSAPrivateKey ssl_options.keyfile
ssl_options.log_alert ssl_options.password ssl_options.psk_identity ssl_options.reuse_sessions
ssl_options.secure_renegotiate ssl_options.verify ssl_options.versions.$ stomp.default_nack_requeue
stomp.default_pass stomp.default_topic_exchange stomp.default_user stomp.default_vhost stomp.hide_server_info
stomp.implicit_connect stomp.listeners.ssl stomp.listeners.ssl.$ stomp.listeners.tcp stomp.listeners.tcp.$
stomp.num_acceptors.ssl stomp.num_acceptors.tcp stomp.proxy_protocol stomp.ssl_cert_login stomp.tcp_listen_options
stomp.tcp_listen_options.backlog stomp.tcp_listen_options.buffer stomp.tcp_listen_options.delay_send
stomp.tcp_listen_options.dontroute stomp.tcp_listen_options.exit_on_close stomp.tcp_listen_options.fd
stomp.tcp_listen_options.high_msgq_watermark stomp.tcp_listen_options.high_watermark
stomp.tcp_listen_options.keepalive stomp.tcp_listen_options.linger.on stomp.tcp_listen_options.linger.timeout
stomp.tcp_listen_options.low_msgq_watermark stomp.tcp_listen_options.low_watermark stomp.tcp_listen_options.nodelay
stomp.tcp_listen_options.port stomp.tcp_listen_options.priority stomp.tcp_listen_options.recbuf
stomp.tcp_listen_options.send_timeout stomp.tcp_listen_options.send_timeout_close stomp.tcp_listen_options.sndbuf
stomp.tcp_listen_options.tos sysmon_handler.thresholds.busy_ports sysmon_handler.thresholds.busy_processes
sysmon_handler.triggers.distribution_port sysmon_handler.triggers.port
sysmon_handler.triggers.process.garbage_collection sysmon_handler.triggers.process.heap_size
sysmon_handler.triggers.process.long_scheduled_execution tcp_listen_options tcp_listen_options.backlog
tcp_listen_options.buffer tcp_listen_options.delay_send tcp_listen_options.dontroute
tcp_listen_options.exit_on_close tcp_listen_options.fd tcp_listen_options.high_msgq_watermark
tcp_listen_options.high_watermark tcp_listen_options.keepalive tcp_listen_options.linger.on
tcp_listen_options.linger.timeout tcp_listen_options.low_msgq_watermark tcp_listen_options.low_watermark
tcp_listen_options.nodelay tcp_listen_options.port tcp_listen_options.priority tcp_listen_options.recbuf
tcp_listen_options.send_timeout tcp_listen_options.send_timeout_close tcp_listen_options.sndbuf
tcp_listen_options.tos total_memory_available_override_value trust_store.directory trust_store.providers.$
trust_store.refresh_interval trust_store.ssl_options trust_store.ssl_options.cacertfile trust_store.ssl_options.cert
trust_store.ssl_options.certfile trust_store.ssl_options.client_renegotiation trust_store.ssl_options.crl_check
trust_store.ssl_options.depth trust_store.ssl_options.dh trust_store.ssl_options.dhfile
trust_store.ssl_options.fail_if_no_peer_cert trust_store.ssl_options.honor_cipher_order
trust_store.ssl_options.key.DSAPrivateKey trust_store.ssl_options.key.PrivateKeyInfo
trust_store.ssl_options.key.RSAPrivateKey trust_store.ssl_options.keyfile trust_store.ssl_options.log_alert
trust_store.ssl_options.password trust_store.ssl_options.psk_identity trust_store.ssl_options.reuse_sessions
trust_store.ssl_options.secure_renegotiate trust_store.ssl_options.verify trust_store.ssl_options.versions.$
trust_store.url vhost_restart_strategy vm_memory_calculation_strategy vm_memory_high_watermark.absolute
vm_memory_high_watermark.relative vm_memory_high_watermark_paging_ratio web_mqtt.cowboy_opts.idle_timeout
web_mqtt.cowboy_opts.max_empty_lines web_mqtt.cowboy_opts.max_header_name_length
web_mqtt.cowboy_opts.max_header_value_length web_mqtt.cowboy_opts.max_headers web_mqtt.cowboy_opts.max_keepalive
web_mqtt.cowboy_opts.max_request_line_length web_mqtt.cowboy_opts.timeout web_mqtt.max_connections
web_mqtt.num_acceptors.ssl web_mqtt.num_acceptors.tcp web_mqtt.proxy_protocol web_mqtt.ssl.backlog
web_mqtt.ssl.cacertfile web_mqtt.ssl.certfile web_mqtt.ssl.ciphers.$ web_mqtt.ssl.client_renegotiation
web_mqtt.ssl.crl_check web_mqtt.ssl.depth web_mqtt.ssl.honor_cipher_order web_mqtt.ssl.honor_ecc_order
web_mqtt.ssl.ip web_mqtt.ssl.keyfile web_mqtt.ssl.listener web_mqtt.ssl.password web_mqtt.ssl.port
web_mqtt.ssl.reuse_sessions web_mqtt.ssl.secure_renegotiate web_mqtt.ssl.versions.$ web_mqtt.tcp.backlog
web_mqtt.tcp.ip web_mqtt.tcp.listener web_mqtt.tcp.port web_mqtt.ws_opts.compress web_mqtt.ws_opts.idle_timeout
web_mqtt.ws_opts.max_frame_size web_mqtt.ws_path web_stomp.cowboy_opts.idle_timeout
web_stomp.cowboy_opts.max_empty_lines web_stomp.cowboy_opts.max_header_name_length
web_stomp.cowboy_opts.max_header_value_length web_stomp.cowboy_opts.max_headers web_stomp.cowboy_opts.max_keepalive
web_stomp.cowboy_opts.max_request_line_length web_stomp.cowboy_opts.timeout web_stomp.max_connections
web_stomp.num_acceptors.ssl web_stomp.num_acceptors.tcp web_stomp.port web_stomp.proxy_protocol
web_stomp.ssl.backlog web_stomp.ssl.cacertfile web_stomp.ssl.certfile web_stomp.ssl.ciphers.$
web_stomp.ssl.client_renegotiation web_stomp.ssl.crl_check web_stomp.ssl.depth web_stomp.ssl.honor_cipher_order
web_stomp.ssl.honor_ecc_order web_stomp.ssl.ip web_stomp.ssl.keyfile web_stomp.ssl.listener web_stomp.ssl.password
web_stomp.ssl.port web_stomp.ssl.reuse_sessions web_stomp.ssl.secure_renegotiate web_stomp.ssl.versions.$
web_stomp.tcp.backlog web_stomp.tcp.ip web_stomp.tcp.listener web_stomp.tcp.port web_stomp.ws_frame
web_stomp.ws_opts.compress web_stomp.ws_opts.idle_timeout web_stomp.ws_opts.max_frame_size web_stomp.ws_path
""",
    "12": """
cluster_formation.consul.ssl_options.cacerts.$ definitions.tls.cacerts.$
""",
    "123": """
auth_http.connection_timeout auth_http.request_timeout auth_ldap.ssl_options.hostname_verification
auth_ldap.ssl_options.sni auth_oauth2.additional_scopes_key auth_oauth2.algorithms.$ auth_oauth2.default_key
auth_oauth2.https.cacertfile auth_oauth2.https.crl_check auth_oauth2.https.depth
auth_oauth2.https.fail_if_no_peer_cert auth_oauth2.https.hostname_verification auth_oauth2.https.peer_verification
auth_oauth2.jwks_url auth_oauth2.resource_server_id auth_oauth2.signing_keys.$ aws.prefer_imdsv2
classic_queue.default_version cluster_formation.consul.ssl_options cluster_formation.consul.ssl_options.cacertfile
cluster_formation.consul.ssl_options.cert cluster_formation.consul.ssl_options.certfile
cluster_formation.consul.ssl_options.ciphers.$ cluster_formation.consul.ssl_options.crl_check
cluster_formation.consul.ssl_options.depth cluster_formation.consul.ssl_options.dh
cluster_formation.consul.ssl_options.dhfile cluster_formation.consul.ssl_options.fail_if_no_peer_cert
cluster_formation.consul.ssl_options.key.DSAPrivateKey cluster_formation.consul.ssl_options.key.PrivateKeyInfo
cluster_formation.consul.ssl_options.key.RSAPrivateKey cluster_formation.consul.ssl_options.keyfile
cluster_formation.consul.ssl_options.log_alert cluster_formation.consul.ssl_options.password
cluster_formation.consul.ssl_options.psk_identity cluster_formation.consul.ssl_options.reuse_sessions
cluster_formation.consul.ssl_options.secure_renegotiate cluster_formation.consul.ssl_options.verify
cluster_formation.consul.ssl_options.versions.$ cluster_formation.internal_lock_retries
cluster_formation.target_cluster_size_hint definitions.hashing.algorithm definitions.https.url
definitions.import_backend definitions.local.path definitions.skip_if_unchanged definitions.tls.cacertfile
definitions.tls.cert definitions.tls.certfile definitions.tls.ciphers.$ definitions.tls.crl_check
definitions.tls.depth definitions.tls.dh definitions.tls.fail_if_no_peer_cert definitions.tls.keyfile
definitions.tls.log_alert definitions.tls.log_level definitions.tls.password definitions.tls.reuse_session
definitions.tls.reuse_sessions definitions.tls.secure_renegotiate definitions.tls.verify definitions.tls.versions.$
distribution.listener.interface distribution.listener.port_range.max distribution.listener.port_range.min
log.channel.rotation.compress log.channel.rotation.count log.channel.rotation.date log.channel.rotation.size
log.connection.rotation.compress log.connection.rotation.count log.connection.rotation.date
log.connection.rotation.size log.console.color_esc_seqs.alert log.console.color_esc_seqs.critical
log.console.color_esc_seqs.debug log.console.color_esc_seqs.emergency log.console.color_esc_seqs.error
log.console.color_esc_seqs.info log.console.color_esc_seqs.notice log.console.color_esc_seqs.warning
log.console.formatter log.console.formatter.json.field_map log.console.formatter.json.verbosity_map
log.console.formatter.level_format log.console.formatter.plaintext.format log.console.formatter.single_line
log.console.formatter.time_format log.console.stdio log.console.use_colors log.default.rotation.compress
log.default.rotation.count log.default.rotation.date log.default.rotation.size log.exchange.formatter
log.exchange.formatter.json.field_map log.exchange.formatter.json.verbosity_map log.exchange.formatter.level_format
log.exchange.formatter.plaintext.format log.exchange.formatter.single_line log.exchange.formatter.time_format
log.federation.rotation.compress log.federation.rotation.count log.federation.rotation.date
log.federation.rotation.size log.file.formatter log.file.formatter.json.field_map
log.file.formatter.json.verbosity_map log.file.formatter.level_format log.file.formatter.plaintext.format
log.file.formatter.single_line log.file.formatter.time_format log.file.rotation.compress log.journald
log.journald.fields log.journald.level log.mirroring.rotation.compress log.mirroring.rotation.count
log.mirroring.rotation.date log.mirroring.rotation.size log.queue.rotation.compress log.queue.rotation.count
log.queue.rotation.date log.queue.rotation.size log.ra.rotation.compress log.ra.rotation.count log.ra.rotation.date
log.ra.rotation.size log.syslog.formatter log.syslog.formatter.json.field_map
log.syslog.formatter.json.verbosity_map log.syslog.formatter.level_format log.syslog.formatter.plaintext.format
log.syslog.formatter.single_line log.syslog.formatter.time_format log.upgrade.rotation.compress
log.upgrade.rotation.count log.upgrade.rotation.date log.upgrade.rotation.size
management.headers.content_type_options management.headers.frame_options management.headers.xss_protection
management_agent.filter_aggregated_queue_metrics_pattern mirroring_sync_max_throughput mqtt.durable_queue_type
mqtt.login_timeout prometheus.filter_aggregated_queue_metrics_pattern queue_leader_locator
quorum_queue.compute_checksums ssl_cert_login_san_index ssl_cert_login_san_type ssl_options.bypass_pem_cache
ssl_options.log_level stomp.login_timeout stream.advertised_host stream.advertised_port stream.advertised_tls_host
stream.advertised_tls_port stream.credits_required_for_unblocking stream.frame_max stream.heartbeat
stream.initial_credits stream.listeners.ssl stream.listeners.ssl.$ stream.listeners.tcp stream.listeners.tcp.$
stream.num_acceptors.ssl stream.num_acceptors.tcp stream.ssl_cert_login stream.tcp_listen_options
stream.tcp_listen_options.backlog stream.tcp_listen_options.buffer stream.tcp_listen_options.delay_send
stream.tcp_listen_options.dontroute stream.tcp_listen_options.exit_on_close stream.tcp_listen_options.fd
stream.tcp_listen_options.high_msgq_watermark stream.tcp_listen_options.high_watermark
stream.tcp_listen_options.keepalive stream.tcp_listen_options.linger.on stream.tcp_listen_options.linger.timeout
stream.tcp_listen_options.low_msgq_watermark stream.tcp_listen_options.low_watermark
stream.tcp_listen_options.nodelay stream.tcp_listen_options.port stream.tcp_listen_options.priority
stream.tcp_listen_options.recbuf stream.tcp_listen_options.send_timeout stream.tcp_listen_options.send_timeout_close
stream.tcp_listen_options.sndbuf stream.tcp_listen_options.tos web_stomp.use_http_auth
""",
    "2": """
auth_http.ssl_options.cacerts.$ message_interceptors.incoming.$.overwrite
""",
    "23": """
anonymous_login_pass anonymous_login_user auth_http.ssl_options auth_http.ssl_options.cacertfile
auth_http.ssl_options.cert auth_http.ssl_options.certfile auth_http.ssl_options.client_renegotiation
auth_http.ssl_options.crl_check auth_http.ssl_options.depth auth_http.ssl_options.dh auth_http.ssl_options.dhfile
auth_http.ssl_options.fail_if_no_peer_cert auth_http.ssl_options.honor_cipher_order
auth_http.ssl_options.honor_ecc_order auth_http.ssl_options.hostname_verification
auth_http.ssl_options.key.DSAPrivateKey auth_http.ssl_options.key.PrivateKeyInfo
auth_http.ssl_options.key.RSAPrivateKey auth_http.ssl_options.keyfile auth_http.ssl_options.log_alert
auth_http.ssl_options.password auth_http.ssl_options.psk_identity auth_http.ssl_options.reuse_sessions
auth_http.ssl_options.secure_renegotiate auth_http.ssl_options.sni auth_http.ssl_options.verify
auth_http.ssl_options.versions.$ auth_oauth2.authorization_endpoint auth_oauth2.default_oauth_provider
auth_oauth2.end_session_endpoint auth_oauth2.https.verify auth_oauth2.issuer
auth_oauth2.oauth_providers.$.algorithms.$ auth_oauth2.oauth_providers.$.authorization_endpoint
auth_oauth2.oauth_providers.$.default_key auth_oauth2.oauth_providers.$.end_session_endpoint
auth_oauth2.oauth_providers.$.https.cacertfile auth_oauth2.oauth_providers.$.https.crl_check
auth_oauth2.oauth_providers.$.https.depth auth_oauth2.oauth_providers.$.https.hostname_verification
auth_oauth2.oauth_providers.$.https.verify auth_oauth2.oauth_providers.$.issuer
auth_oauth2.oauth_providers.$.jwks_uri auth_oauth2.oauth_providers.$.signing_keys.$
auth_oauth2.oauth_providers.$.token_endpoint auth_oauth2.preferred_username_claims.$
auth_oauth2.resource_server_type auth_oauth2.resource_servers.$.additional_scopes_key
auth_oauth2.resource_servers.$.id auth_oauth2.resource_servers.$.oauth_provider_id
auth_oauth2.resource_servers.$.preferred_username_claims.$ auth_oauth2.resource_servers.$.resource_server_type
auth_oauth2.resource_servers.$.scope_prefix auth_oauth2.scope_prefix auth_oauth2.token_endpoint
auth_oauth2.verify_aud channel_max_per_node cluster_formation.aws.hostname_path cluster_formation.consul.svc_id
cluster_formation.k8s.tls.cacertfile cluster_formation.k8s.tls.certfile
cluster_formation.k8s.tls.fail_if_no_peer_cert cluster_formation.k8s.tls.keyfile cluster_formation.k8s.tls.verify
cluster_queue_limit cluster_tags.$ consumer_max_per_channel default_limits.vhosts.$.max_connections
default_limits.vhosts.$.max_queues default_limits.vhosts.$.pattern
default_policies.operator.$.classic_queues.ha_mode default_policies.operator.$.classic_queues.ha_params
default_policies.operator.$.classic_queues.ha_sync_mode default_policies.operator.$.classic_queues.queue_version
default_policies.operator.$.delivery_limit default_policies.operator.$.expires
default_policies.operator.$.max_in_memory_bytes default_policies.operator.$.max_in_memory_length
default_policies.operator.$.max_length default_policies.operator.$.max_length_bytes
default_policies.operator.$.message_ttl default_policies.operator.$.queue_pattern
default_policies.operator.$.vhost_pattern default_queue_type default_users.$.configure default_users.$.password
default_users.$.read default_users.$.tags default_users.$.vhost_pattern default_users.$.write
deprecated_features.permit.$ link_max_per_session management.oauth_client_id management.oauth_client_secret
management.oauth_disable_basic_auth management.oauth_enabled management.oauth_initiated_logon_type
management.oauth_metadata_url management.oauth_provider_url management.oauth_resource_servers.$.disabled
management.oauth_resource_servers.$.id management.oauth_resource_servers.$.label
management.oauth_resource_servers.$.oauth_client_id management.oauth_resource_servers.$.oauth_client_secret
management.oauth_resource_servers.$.oauth_initiated_logon_type
management.oauth_resource_servers.$.oauth_metadata_url management.oauth_resource_servers.$.oauth_provider_url
management.oauth_resource_servers.$.oauth_response_type management.oauth_resource_servers.$.oauth_scopes
management.oauth_response_type management.oauth_scopes management.restrictions.operator_policy_changes.disabled
management.restrictions.quorum_queue_replica_operations.disabled metadata_store.khepri.default_timeout
mqtt.mailbox_soft_limit mqtt.max_packet_size_authenticated mqtt.max_packet_size_unauthenticated
mqtt.max_session_expiry_interval_seconds mqtt.ssl_cert_client_id_from mqtt.ssl_cert_login_san_index
mqtt.ssl_cert_login_san_type mqtt.topic_alias_maximum node_tags.$ prometheus.authentication.enabled
prometheus.tcp.listener quorum_queue.continuous_membership_reconciliation.auto_remove
quorum_queue.continuous_membership_reconciliation.enabled quorum_queue.continuous_membership_reconciliation.interval
quorum_queue.continuous_membership_reconciliation.target_group_size
quorum_queue.continuous_membership_reconciliation.trigger_interval
quorum_queue.property_equivalence.relaxed_checks_on_redeclaration raft.adaptive_failure_detector.poll_interval
ranch_connection_max runtime_parameters.limits.$ session_max_per_connection shovel.topology.predeclared
stomp.max_frame_size stream.replication.port_range.max stream.replication.port_range.min tracing.dir
tracing.password tracing.username vhost_max web_mqtt.use_file_handle_cache web_stomp.use_file_handle_cache
""",
    "3": """
amqp10_client.ssl_options amqp10_client.ssl_options.cacertfile amqp10_client.ssl_options.cacerts.$
amqp10_client.ssl_options.cert amqp10_client.ssl_options.certfile amqp10_client.ssl_options.crl_check
amqp10_client.ssl_options.depth amqp10_client.ssl_options.key.DSAPrivateKey
amqp10_client.ssl_options.key.PrivateKeyInfo amqp10_client.ssl_options.key.RSAPrivateKey
amqp10_client.ssl_options.keyfile amqp10_client.ssl_options.log_alert amqp10_client.ssl_options.password
amqp10_client.ssl_options.psk_identity amqp10_client.ssl_options.reuse_sessions
amqp10_client.ssl_options.secure_renegotiate amqp10_client.ssl_options.sni amqp10_client.ssl_options.verify
amqp10_client.ssl_options.versions.$ amqp_client.ssl_options amqp_client.ssl_options.cacertfile
amqp_client.ssl_options.cacerts.$ amqp_client.ssl_options.cert amqp_client.ssl_options.certfile
amqp_client.ssl_options.crl_check amqp_client.ssl_options.depth amqp_client.ssl_options.key.DSAPrivateKey
amqp_client.ssl_options.key.PrivateKeyInfo amqp_client.ssl_options.key.RSAPrivateKey amqp_client.ssl_options.keyfile
amqp_client.ssl_options.log_alert amqp_client.ssl_options.password amqp_client.ssl_options.psk_identity
amqp_client.ssl_options.reuse_sessions amqp_client.ssl_options.secure_renegotiate amqp_client.ssl_options.sni
amqp_client.ssl_options.verify amqp_client.ssl_options.versions.$ auth_http.authorization_failure_disclosure
auth_http.ssl_options.ciphers.$ auth_ldap.queries.resource_access auth_ldap.queries.tags
auth_ldap.queries.topic_access auth_ldap.queries.vhost_access auth_ldap.ssl_options.ciphers.$
auth_oauth2.discovery_endpoint_params.$ auth_oauth2.discovery_endpoint_path auth_oauth2.jwks_uri
auth_oauth2.oauth_providers.$.discovery_endpoint_params.$ auth_oauth2.oauth_providers.$.discovery_endpoint_path
auth_oauth2.require_exp auth_oauth2.resource_servers.$.require_exp auth_oauth2.resource_servers.$.scope_aliases.$
auth_oauth2.resource_servers.$.scope_aliases.$.alias auth_oauth2.resource_servers.$.scope_aliases.$.scope
auth_oauth2.resource_servers.$.verify_aud auth_oauth2.scope_aliases.$ auth_oauth2.scope_aliases.$.alias
auth_oauth2.scope_aliases.$.scope channel_interceptor.priorities.$ channel_tx_message_max cluster_exchange_limit
cluster_formation.aws.ec2_instance_states.$ cluster_formation.aws.hostname_path.$
cluster_formation.k8s.ordinal_start cluster_formation.k8s.seed_node cluster_formation.registration.enabled
consumer_disconnected_timeout credentials_obfuscation.cipher credentials_obfuscation.enabled
credentials_obfuscation.hash credentials_obfuscation.iterations default_policies.operator.$.apply_to
event_exchange.protocol exchange_types.local_random.enabled federation.exchanges.connection_close_timeout
federation.exchanges.shutdown.link_batch_size federation.exchanges.shutdown.throttle_delay
federation.exchanges.shutdown.timeout federation.queues.connection_close_timeout
federation.queues.shutdown.link_batch_size federation.queues.shutdown.throttle_delay
federation.queues.shutdown.timeout http_dispatch.access_log_dir http_dispatch.auth_backends.$
http_dispatch.auth_backends.$.authn http_dispatch.auth_backends.$.authz listeners.startup_delay
log.error_logger_format_depth log.summarize_process_state log.user.file log.user.level log.user.rotation.compress
log.user.rotation.count log.user.rotation.date log.user.rotation.size management.credential_encryption_secret
management.definitions.require_json_extension management.delegate_count management.headers.referrer_policy
management.http.hide_allow_header management.oauth_authorization_endpoint_params.$
management.oauth_resource_servers.$.oauth_authorization_endpoint_params.$
management.oauth_resource_servers.$.oauth_token_endpoint_params.$ management.oauth_token_endpoint_params.$
management.require_auth_for_api_reference management.ssl.max_connections management.tcp.max_connections
max_channels_per_connection max_connections message_interceptors.$.$.$ metadata_store.khepri.snapshot_interval
mqtt.disconnect_on_unauthorized mqtt.max_connections mqtt.message_interceptors.$.$.$
mqtt.retained_message_store.max_messages mqtt.retained_message_store.max_size_bytes
prevent_startup_if_node_was_reset prometheus.ssl.max_connections prometheus.tcp.max_connections
queue_types.classic.enabled queue_types.quorum.enabled queue_types.stream.enabled quorum_queue.commands_soft_limit
quorum_queue.compress_mem_tables quorum_queue.initial_cluster_size quorum_queue.max_append_entries_rpc_batch_size
quorum_queue.segment_compute_checksums quorum_queue.segment_max_entries quorum_queue.segment_max_size_bytes
quorum_queue.snapshot_chunk_size quorum_queue.wal_compute_checksums quorum_queue.wal_max_batch_size
quorum_queue.wal_max_entries quorum_queue.wal_max_size_bytes raft.adaptive_failure_detector.detection_threshold
raft.adaptive_failure_detector.heartbeat_interval raft.adaptive_failure_detector.scaling_factor
shovel.delete_after_duration_floor shovel.local.max_credit shovel.operating_mode ssl_options.crl_sources.$
ssl_options.crl_sources.$.path ssl_options.crl_sources.$.timeout stomp.max_frame_size_unauthenticated
stream.data_dir stream.initial_frame_max stream.max_connections stream.max_super_stream_partitions
stream.max_uncompressed_sub_entry_batch_size stream.read_ahead stream.read_ahead_limit
stream.replication.address_family trust_store.https_request_timeout trust_store.ssl_options.ciphers.$
web_mqtt.allow_origins web_mqtt.allow_origins.$ web_mqtt.hsts.policy web_mqtt.ssl web_mqtt.ssl.cert web_mqtt.ssl.dh
web_mqtt.ssl.dhfile web_mqtt.ssl.fail_if_no_peer_cert web_mqtt.ssl.log_alert web_mqtt.ssl.psk_identity
web_mqtt.ssl.verify web_stomp.allow_origins web_stomp.allow_origins.$ web_stomp.hsts.policy web_stomp.ssl
web_stomp.ssl.cert web_stomp.ssl.dh web_stomp.ssl.dhfile web_stomp.ssl.fail_if_no_peer_cert web_stomp.ssl.log_alert
web_stomp.ssl.psk_identity web_stomp.ssl.verify
""",
}
"""Each with the places of the releases that have it in `RELEASES`; `$` stands for any one step of a key."""
