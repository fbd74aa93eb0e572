/** Types of rows, transitions, states and messages, for comments: `import(...)`. Nothing of it runs.
 *
 * Written by `python -m tools.catalogue` from the engine's classes and tools/catalogue/script_modules.py: change that, not this file. */

/** @typedef {Record<string, any>} Values */

/** @typedef {[start: number, count: number, msg_no: number, size_bytes: number, flags: number, expiry_us: number, template: number]} Extent */

/** @typedef {[start: number | null, count: number, transient: number, end: number | null]} DeltaExtent */

/** @typedef {[start: number, count: number, code: number]} IndexEntry */

/** @typedef {[start: number, count: number, refs: number, file: number, offset: number, record_bytes: number, step: number]} StoreRow */

/** @typedef {[number: number, file_size: number, valid: number, locked: boolean, disk_bytes: number]} StoreFile */

/** @typedef {[start: number, count: number]} Range */

/** @typedef {[kind: string, rule: string, ...fields: any[]]} TransitionRow */

/** @typedef {{ kind: "Acked", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} Acked */

/** @typedef {{ kind: "ActorChanged", rule: string, actor: string, values: Values | null, why: Values }} ActorChanged */

/** @typedef {{ kind: "AlphasPushed", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} AlphasPushed */

/** @typedef {{ kind: "BetasPushed", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} BetasPushed */

/** @typedef {{ kind: "BodiesBuffered", rule: string, queue: string, segment: number, start: number, count: number, offset: number, bytes: number }} BodiesBuffered */

/** @typedef {{ kind: "BodiesForgotten", rule: string, queue: string, start: number, count: number, bytes: number }} BodiesForgotten */

/** @typedef {{ kind: "BodiesRead", rule: string, queue: string, segment: number, start: number, count: number }} BodiesRead */

/** @typedef {{ kind: "BodiesWritten", rule: string, queue: string, fsync: boolean, files: [number, number][] }} BodiesWritten */

/** @typedef {{ kind: "BodyFileDeleted", rule: string, queue: string, segment: number, bytes: number }} BodyFileDeleted */

/** @typedef {{ kind: "BufferWritten", rule: string, store: string, file: number, bytes: number }} BufferWritten */

/** @typedef {{ kind: "CacheChanged", rule: string, store: string, entries: number }} CacheChanged */

/** @typedef {{ kind: "ChannelClosed", rule: string, actor: string, code: number, text: string }} ChannelClosed */

/** @typedef {{ kind: "CollectionTimed", rule: string, store: string, fired: boolean, files: number[] }} CollectionTimed */

/** @typedef {{ kind: "CombineStarted", rule: string, store: string, source: number, destination: number, why: Values }} CombineStarted */

/** @typedef {{ kind: "CombineStepped", rule: string, store: string, source: number, destination: number, step: string, bytes: number }} CombineStepped */

/** @typedef {{ kind: "Committed", rule: string, actor: string, count: number, why: Values }} Committed */

/** @typedef {{ kind: "ConfirmsDue", rule: string, queue: string, by: string, messages: Range[] }} ConfirmsDue */

/** @typedef {{ kind: "ConfirmsForgotten", rule: string, actor: string, count: number }} ConfirmsForgotten */

/** @typedef {{ kind: "ConfirmsSent", rule: string, actor: string, count: number, why: Values }} ConfirmsSent */

/** @typedef {{ kind: "ConnectionBlocked", rule: string, actor: string, reason: string, why: Values }} ConnectionBlocked */

/** @typedef {{ kind: "ConnectionClosed", rule: string, actor: string, code: number, text: string }} ConnectionClosed */

/** @typedef {{ kind: "ConnectionUnblocked", rule: string, actor: string, why: Values }} ConnectionUnblocked */

/** @typedef {{ kind: "ConsumerCancelled", rule: string, actor: string, queue: string, why: Values }} ConsumerCancelled */

/** @typedef {{ kind: "ConversionStuck", rule: string, queue: string, why: Values }} ConversionStuck */

/** @typedef {{ kind: "CountersChanged", rule: string, queue: string, values: Values }} CountersChanged */

/** @typedef {{ kind: "DeadLettered", rule: string, queue: string, reason: string, count: number, exchange: string, routing_key: string, to: string[], why: Values }} DeadLettered */

/** @typedef {{ kind: "DeltaChanged", rule: string, queue: string, delta: DeltaExtent, why: Values }} DeltaChanged */

/** @typedef {{ kind: "DeltaRead", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} DeltaRead */

/** @typedef {{ kind: "Discarded", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} Discarded */

/** @typedef {{ kind: "Dropped", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} Dropped */

/** @typedef {{ kind: "EntriesRecorded", rule: string, queue: string, action: string, start: number, count: number, journal_bytes: number }} EntriesRecorded */

/** @typedef {{ kind: "ExchangeDeclared", rule: string, exchange: string, values: Values }} ExchangeDeclared */

/** @typedef {{ kind: "ExchangeDeleted", rule: string, exchange: string }} ExchangeDeleted */

/** @typedef {{ kind: "Fetched", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} Fetched */

/** @typedef {{ kind: "FileCompacted", rule: string, store: string, file: number, why: Values }} FileCompacted */

/** @typedef {{ kind: "FileCut", rule: string, store: string, file: number, size_bytes: number }} FileCut */

/** @typedef {{ kind: "FileDeleted", rule: string, store: string, file: number, size_bytes: number, left_on_disk: number }} FileDeleted */

/** @typedef {{ kind: "FileLocked", rule: string, store: string, file: number, locked: boolean }} FileLocked */

/** @typedef {{ kind: "FileRolledOver", rule: string, store: string, closed: number, opened: number, why: Values }} FileRolledOver */

/** @typedef {{ kind: "FileUnlinked", rule: string, store: string, file: number, size_bytes: number }} FileUnlinked */

/** @typedef {{ kind: "FilesCombined", rule: string, store: string, source: number, destination: number, size_bytes: number, reclaimed_bytes: number, left_on_disk: number }} FilesCombined */

/** @typedef {{ kind: "FilesConverted", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} FilesConverted */

/** @typedef {{ kind: "FilesFound", rule: string, queue: string, clean: boolean, segments: [number, number, number][], bodies: [number, number][], places: [number, number, number, number][], live: Range[] }} FilesFound */

/** @typedef {{ kind: "FilesReset", rule: string, queue: string }} FilesReset */

/** @typedef {{ kind: "GotEmpty", rule: string, actor: string, queue: string }} GotEmpty */

/** @typedef {{ kind: "HappenedElsewhere", rule: string, vhost: string, what: string }} HappenedElsewhere */

/** @typedef {{ kind: "HeadReturned", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} HeadReturned */

/** @typedef {{ kind: "IndexFileCreated", rule: string, queue: string, segment: number, bytes: number }} IndexFileCreated */

/** @typedef {{ kind: "IndexFileDeleted", rule: string, queue: string, segment: number, start: number, end: number, bytes: number }} IndexFileDeleted */

/** @typedef {{ kind: "IndexFlushed", rule: string, queue: string, full: boolean, segments: [number, number][], why: Values }} IndexFlushed */

/** @typedef {{ kind: "IndexForgotten", rule: string, queue: string, entries: [number, number, number][], buffered_bytes: number, dirty: number }} IndexForgotten */

/** @typedef {{ kind: "IndexRecovered", rule: string, queue: string, clean: boolean, entries: [number, number, number][], segments: [number, number][], journal_bytes: number | null, dirty: number }} IndexRecovered */

/** @typedef {{ kind: "IndexReset", rule: string, queue: string }} IndexReset */

/** @typedef {{ kind: "JournalFlushed", rule: string, queue: string, why: Values }} JournalFlushed */

/** @typedef {{ kind: "JournalOpened", rule: string, queue: string }} JournalOpened */

/** @typedef {{ kind: "JournalSynced", rule: string, queue: string, bytes: number }} JournalSynced */

/** @typedef {{ kind: "LaneJoined", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} LaneJoined */

/** @typedef {{ kind: "MirrorJoined", rule: string, queue: string, node: string, why: Values }} MirrorJoined */

/** @typedef {{ kind: "MirrorLeft", rule: string, queue: string, node: string, how: string }} MirrorLeft */

/** @typedef {{ kind: "MirrorSynchronised", rule: string, queue: string, node: string }} MirrorSynchronised */

/** @typedef {{ kind: "ModeChanged", rule: string, queue: string, mode: string }} ModeChanged */

/** @typedef {{ kind: "NacksSent", rule: string, actor: string, count: number, why: Values }} NacksSent */

/** @typedef {{ kind: "NodeChanged", rule: string, part: string, values: Values, why: Values }} NodeChanged */

/** @typedef {{ kind: "NodeStarted", rule: string, node: string }} NodeStarted */

/** @typedef {{ kind: "NodeStopped", rule: string, node: string, how: string }} NodeStopped */

/** @typedef {{ kind: "OperationDeferred", rule: string, store: string, file: number, operation: string, msg_no: number, count: number }} OperationDeferred */

/** @typedef {{ kind: "PendingPaged", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} PendingPaged */

/** @typedef {{ kind: "PendingPurged", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} PendingPurged */

/** @typedef {{ kind: "PolicyCleared", rule: string, policy: string }} PolicyCleared */

/** @typedef {{ kind: "PolicySet", rule: string, policy: string, values: Values }} PolicySet */

/** @typedef {{ kind: "ProcessChanged", rule: string, process: string, values: Values | null, why: Values }} ProcessChanged */

/** @typedef {{ kind: "Published", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} Published */

/** @typedef {{ kind: "PublishedDelivered", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} PublishedDelivered */

/** @typedef {{ kind: "PutBack", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} PutBack */

/** @typedef {{ kind: "QueueBound", rule: string, exchange: string, queue: string, routing_key: string, arguments: Values, to: string }} QueueBound */

/** @typedef {{ kind: "QueueChanged", rule: string, queue: string, values: Values, why: Values }} QueueChanged */

/** @typedef {{ kind: "QueuePromoted", rule: string, queue: string, node: string, source: string, why: Values }} QueuePromoted */

/** @typedef {{ kind: "QueueStarted", rule: string, queue: string, mode: string, durable: boolean, record: DeltaExtent, values: Values }} QueueStarted */

/** @typedef {{ kind: "QueueStopped", rule: string, queue: string, how: string }} QueueStopped */

/** @typedef {{ kind: "QueueUnbound", rule: string, exchange: string, queue: string, routing_key: string, arguments: Values, to: string }} QueueUnbound */

/** @typedef {{ kind: "Reduced", rule: string, queue: string, why: Values }} Reduced */

/** @typedef {{ kind: "RefCountChanged", rule: string, store: string, msg_no: number, count: number, ref_count: number }} RefCountChanged */

/** @typedef {{ kind: "Rejected", rule: string, queue: string, count: number, why: Values }} Rejected */

/** @typedef {{ kind: "Requeued", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} Requeued */

/** @typedef {{ kind: "RingSent", rule: string, queue: string, node: string, instruction: string, count: number, hops: number, body_bytes: number, why: Values }} RingSent */

/** @typedef {{ kind: "RowsForgotten", rule: string, store: string, messages: Range[] }} RowsForgotten */

/** @typedef {{ kind: "RowsMoved", rule: string, store: string, rows: [number, number, number, number][] }} RowsMoved */

/** @typedef {{ kind: "SegmentDeleted", rule: string, queue: string, segment: number, bytes: number }} SegmentDeleted */

/** @typedef {{ kind: "SegmentRead", rule: string, queue: string, segment: number, start: number, end: number, bytes: number }} SegmentRead */

/** @typedef {{ kind: "SegmentWritten", rule: string, queue: string, segment: number, bytes: number }} SegmentWritten */

/** @typedef {{ kind: "SlotsBuffered", rule: string, queue: string, action: string, segment: number, start: number, count: number }} SlotsBuffered */

/** @typedef {{ kind: "SlotsRead", rule: string, queue: string, segment: number, start: number, end: number }} SlotsRead */

/** @typedef {{ kind: "StoreRead", rule: string, store: string, by: string, file: number, msg_no: number, count: number, bytes: number }} StoreRead */

/** @typedef {{ kind: "StoreRecovered", rule: string, store: string, clean: boolean, files: [number, number, number, boolean, number][], current: number, rows: [number, number, number, number, number, number, number][], orphans: [number, number][] }} StoreRecovered */

/** @typedef {{ kind: "StoreStopped", rule: string, store: string, how: string }} StoreStopped */

/** @typedef {{ kind: "StoreSynced", rule: string, store: string, file: number }} StoreSynced */

/** @typedef {{ kind: "StoreWritten", rule: string, store: string, file: number, offset: number, msg_no: number, count: number, record_bytes: number, step: number }} StoreWritten */

/** @typedef {{ kind: "StretchesBuffered", rule: string, queue: string, segment: number, offset: number, term_bytes: number, runs: [number, number, number][] }} StretchesBuffered */

/** @typedef {{ kind: "StretchesRead", rule: string, store: string, by: string, file: number, runs: [number, number, number][] }} StretchesRead */

/** @typedef {{ kind: "StretchesRecorded", rule: string, queue: string, action: string, runs: [number, number][], journal_bytes: number }} StretchesRecorded */

/** @typedef {{ kind: "StretchesRecounted", rule: string, store: string, runs: [number, number][], ref_count: number }} StretchesRecounted */

/** @typedef {{ kind: "StretchesWritten", rule: string, store: string, file: number, offset: number, record_bytes: number, step: number, runs: [number, number][] }} StretchesWritten */

/** @typedef {{ kind: "SyncEnded", rule: string, queue: string, how: string, why: Values }} SyncEnded */

/** @typedef {{ kind: "SyncStarted", rule: string, queue: string, mirrors: string[] }} SyncStarted */

/** @typedef {{ kind: "TailLoaded", rule: string, queue: string, source: string | null, to: string | null, extents: Extent[], record: DeltaExtent | null, why: Values }} TailLoaded */

/** @typedef {{ kind: "TargetChanged", rule: string, queue: string, target: number | null, why: Values }} TargetChanged */

/** @typedef {{ kind: "Unroutable", rule: string, actor: string, count: number, exchange: string, routing_key: string, returned: boolean }} Unroutable */

/** @typedef {{ kind: "VhostAdded", rule: string, vhost: string }} VhostAdded */

/** @typedef {{ kind: "VhostDeleted", rule: string, vhost: string }} VhostDeleted */

/** @typedef {{ kind: "WriteIgnored", rule: string, store: string, msg_no: number, count: number }} WriteIgnored */

/** @typedef {Acked | ActorChanged | AlphasPushed | BetasPushed | BodiesBuffered | BodiesForgotten | BodiesRead | BodiesWritten | BodyFileDeleted | BufferWritten | CacheChanged | ChannelClosed | CollectionTimed | CombineStarted | CombineStepped | Committed | ConfirmsDue | ConfirmsForgotten | ConfirmsSent | ConnectionBlocked | ConnectionClosed | ConnectionUnblocked | ConsumerCancelled | ConversionStuck | CountersChanged | DeadLettered | DeltaChanged | DeltaRead | Discarded | Dropped | EntriesRecorded | ExchangeDeclared | ExchangeDeleted | Fetched | FileCompacted | FileCut | FileDeleted | FileLocked | FileRolledOver | FileUnlinked | FilesCombined | FilesConverted | FilesFound | FilesReset | GotEmpty | HappenedElsewhere | HeadReturned | IndexFileCreated | IndexFileDeleted | IndexFlushed | IndexForgotten | IndexRecovered | IndexReset | JournalFlushed | JournalOpened | JournalSynced | LaneJoined | MirrorJoined | MirrorLeft | MirrorSynchronised | ModeChanged | NacksSent | NodeChanged | NodeStarted | NodeStopped | OperationDeferred | PendingPaged | PendingPurged | PolicyCleared | PolicySet | ProcessChanged | Published | PublishedDelivered | PutBack | QueueBound | QueueChanged | QueuePromoted | QueueStarted | QueueStopped | QueueUnbound | Reduced | RefCountChanged | Rejected | Requeued | RingSent | RowsForgotten | RowsMoved | SegmentDeleted | SegmentRead | SegmentWritten | SlotsBuffered | SlotsRead | StoreRead | StoreRecovered | StoreStopped | StoreSynced | StoreWritten | StretchesBuffered | StretchesRead | StretchesRecorded | StretchesRecounted | StretchesWritten | SyncEnded | SyncStarted | TailLoaded | TargetChanged | Unroutable | VhostAdded | VhostDeleted | WriteIgnored} Transition */

/** @typedef {{ kind: Kind, rule: string, queue?: string, source?: string | null | number, to?: string | null | string[], extents?: Extent[], record?: DeltaExtent | null, why?: Values, actor?: string, values?: Values | null, segment?: number, start?: number, count?: number, offset?: number, bytes?: number, fsync?: boolean, files?: [number, number][] | number[] | [number, number, number, boolean, number][], store?: string, file?: number, entries?: number | [number, number, number][], code?: number, text?: string, fired?: boolean, destination?: number, step?: string | number, by?: string, messages?: Range[], reason?: string, exchange?: string, routing_key?: string, delta?: DeltaExtent, action?: string, journal_bytes?: number | null, size_bytes?: number, left_on_disk?: number, locked?: boolean, closed?: number, opened?: number, reclaimed_bytes?: number, clean?: boolean, segments?: [number, number, number][] | [number, number][], bodies?: [number, number][], places?: [number, number, number, number][], live?: Range[], vhost?: string, what?: string, end?: number, full?: boolean, buffered_bytes?: number, dirty?: number, node?: string, how?: string, mode?: string, part?: string, operation?: string, msg_no?: number, policy?: string, process?: string, arguments?: Values, durable?: boolean, ref_count?: number, instruction?: string, hops?: number, body_bytes?: number, rows?: [number, number, number, number][] | [number, number, number, number, number, number, number][], current?: number, orphans?: [number, number][], record_bytes?: number, term_bytes?: number, runs?: [number, number, number][] | [number, number][], mirrors?: string[], target?: number | null, returned?: boolean }} AnyTransition */

/** @typedef {Transition["kind"]} Kind */

/** @template {Kind} K @typedef {Extract<Transition, { kind: K }>} TransitionOf */

/** @typedef {{ [K in Kind]?: (state: RunSnapshot, t: TransitionOf<K>) => void }} Handlers */

/** @typedef {{ group: "files" | "memory" | "messages" | "node", function?: string, fold?: string | null, shown?: "detail" | "event" | "step", weight?: number, setting?: string | null, units?: Record<string, string>, mark?: "compact" | "fsync" | "gc" | "gone" | "load" | "read" | "roll" | null, disk?: "reads" | "syncs" | "writes" | null, arrives?: boolean, leaves?: boolean } & { queue?: boolean }} About */

/** @typedef {{ name: string, content: "disk" | "mixed" | "ram", unacked: boolean, counted: boolean, limits: "" | "contents" | "entries", letter: "" | "alpha" | "beta" | "delta" | "gamma", lazy: boolean }} MessagePlace */

/** @typedef {{ entries: IndexEntry[], segments: [number, number][], journal_bytes: number | null, buffered_bytes: number, dirty: number }} IndexState */

/** @typedef {{ segments: [number, number, number][], bodies: [number, number][], unread: [number, number][], buffered: Range[], acks: Range[], waiting: Range[], waiting_bytes: number, slots: [number, number, number][], places: [number, number, number, number, number, number][] }} FilesState */

/** @typedef {{ mode: string, durable: boolean, lanes: Record<string, Extent[]>, counted: Record<string, DeltaExtent>, counters: Values, own: Values } & Values} QueueSnapshot */

/** @typedef {{ files: StoreFile[], current: number, rows: StoreRow[], cache: number, buffered_bytes: number, orphans: [number, number][] }} StoreSnapshot */

/** @typedef {{ exchange: string, queue: string, routing_key: string, arguments: Values, to: string }} BindingState */

/** @typedef {{ settings: Values, memory: Values, disk: Values, alarms: Record<string, boolean>, clock: Values, work: Values, app: Values, cluster: Values, bodies: Record<string, [number, number[]]>, actors: Record<string, Values>, processes: Record<string, Values>, exchanges: Record<string, Values>, bindings: BindingState[], policies: Record<string, Values>, vhosts?: string[] }} NodeState */

/** @typedef {{ queues: Record<string, QueueSnapshot>, stores: Record<string, StoreSnapshot>, node: NodeState }} RunSnapshot */

/** @typedef {{ t: "frame", first: number, at_us: number[], rows: unknown[][], now_us: number, digest?: string | null, play?: boolean | null, speed?: number | null, to_us?: number | null, pace?: number | null, ack?: boolean | null }} FrameMessage */

/** @typedef {{ t: "snapshot", next: number, at_us: number, state: RunSnapshot, digest: string, skipped: Record<string, number>, why: string, to_us?: number | null, pace?: number | null }} SnapshotMessage */

/** @typedef {{ t: "welcome", session: string, limits: Values, engine: string, scenario: Values, life: string, owner: boolean, lasts_us: number | null }} WelcomeMessage */

/** @typedef {{ t: "notice", level: string, message: string }} NoticeMessage */

/** @typedef {{ t: "accepted", id: number | string }} AcceptedMessage */

/** @typedef {{ t: "refused", id: number | string | null, message: string, code?: string | null, values?: Values }} RefusedMessage */

/** @typedef {{ t: "answer", id: number | string, text: string, error: string | null }} AnswerMessage */

/** @typedef {{ t: "moved", websocket: string }} MovedMessage */

/** @typedef {FrameMessage | SnapshotMessage | WelcomeMessage | NoticeMessage | AcceptedMessage | RefusedMessage | AnswerMessage | MovedMessage} HostMessage */

export {};
