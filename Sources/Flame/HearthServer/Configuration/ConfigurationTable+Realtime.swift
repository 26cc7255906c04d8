import HearthEngine
import HearthModel

/// The keys of the Realtime Database.
extension ConfigurationTable {
    static let realtime = ConfigurationSection(
        "realtime",
        introduction: """
            The Realtime Database, for programs that ask for it. [credentials] says who we are, \
            [queue] how much may wait, and [access] who may do what.
            """,
        keys: [
            .taken(
                "instance", .instance, "url", "The instance of clients that name none."
            ) { url, configuration in
                configuration.realtime.instance = InstanceID(url: url)
            }.told(
                """
                The instance of clients that name none, such as \
                "https://shop-default-rtdb.europe-west1.firebasedatabase.app". If it is empty, it \
                is https://PROJECT-default-rtdb.firebaseio.com. A client may name another instance \
                of the hosted service.
                """),
            .taken(
                "emulator", .text, "host:port", "An emulator instead of the hosted service."
            ) { address, configuration in
                configuration.realtime.emulator = address.isEmpty ? nil : address
                configuration.realtime.upstreamOrigin = "realtime.emulator"
            }.told(
                """
                An emulator instead of the hosted service, as host:port or unix:PATH, in plaintext. \
                If the key is not set, the environment variable FIREBASE_DATABASE_EMULATOR_HOST \
                counts; the log says which of them did.
                """),
            .flag("isEnabled", \.realtime.isEnabled, "Whether to connect to instances.").told(
                """
                Whether to connect to instances. Without a connection everything works as offline. \
                If upstream.isEnabled is false, nothing connects whatever stands here.
                """),
            .bytes(
                "cacheByteCountMax", \.realtime.cacheByteCountMax, 1_048_576...(1 << 46),
                of: .database, "The size above which the least used leaves the cache."
            ).told(
                """
                The size above which the least used data leaves the cache. Data that somebody \
                listens to, kept places and waiting writes always stay.
                """),
            .bytes(
                "queueByteCountMax", \.realtime.memory.byteCountMax, 1_048_576...(1 << 40),
                of: .daemon, "Memory of the writes that wait in all instances."
            ).told(
                """
                Memory that waiting writes, and orders for the ends of programs, may take in all \
                instances together, besides the limits of [queue]: an instance has them in memory \
                too. A number takes about half a KiB, and an order twice as much as a write. A \
                write beyond the limit is refused with RESOURCE_EXHAUSTED; writes that wait \
                already stay, over restarts too.
                """
            ).takingEffectAtOnce(),
            .bytes(
                "uidQueueByteCountMax", \.realtime.memory.uidByteCountMax,
                1_048_576...(1 << 40), of: .user, "The same of one Unix user."
            ).takingEffectAtOnce(),
            .paths("keep", \.realtime.keep, "Paths that are kept in step without a listener.")
                .told(
                    """
                    Paths of the instance above that are kept in step without a listener and never \
                    leave the cache, such as ["/menu", "/shops/1"]. Between the flag's paths \
                    stands a comma.
                    """
                ).takingEffectAtOnce(),
            .taken(
                "exactlyOnce", .node, "path", "Where writes that were sent are fenced."
            ) { path, configuration in
                let fence = RealtimePath(path)
                configuration.realtime.fence = fence?.isRoot == true ? nil : fence
            }.told(
                """
                A path, empty for none. If it is set, each write also leaves a mark below \
                PATH/DAEMON. After a lost connection the daemon reads there which writes were \
                applied, so no write is applied twice. A write that would replace PATH with a \
                place above it, such as a set of the root, is refused. Security rules must let \
                the user read and write there; if they do not, the journal says so, and \
                inDoubt counts. If the backend forgot a connection, the queue waits about five \
                minutes, and then the daemon puts a write with an increment aside. Tests show \
                this with emulators, and nobody has shown it on the hosted service.
                """),
            .choice(
                "inDoubt", "word", \.realtime.inDoubt,
                "Unfenced writes in doubt: resend or deadLetter."
            ).told(
                """
                What the daemon does with a write with an increment whose answer was lost, without \
                a fence: "resend", and the write may be applied twice; or "deadLetter", and the \
                write is put aside as in doubt, and may not have been applied. A write that may be \
                applied twice without harm is always sent again.
                """
            ).takingEffectAtOnce(),
        ])
}
