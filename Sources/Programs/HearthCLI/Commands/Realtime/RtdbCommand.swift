import ArgumentParser

/// `hearth rtdb`.
struct RtdbCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rtdb",
        abstract: "Read, write and listen to a Realtime Database.",
        discussion: """
            A place is a path such as rooms/hall/name; / is the root. Values are JSON: null, true, \
            12, 1.5, "text", [1,2], {"a":1}; a value that is nothing else is text. With a priority: \
            {".value":1,".priority":2}. In writes also serverTimestamp() and increment(5), or \
            {".sv":"timestamp"}. What is written is durable on this machine at once, shows in every \
            program, and reaches the backend in its turn.
            """,
        subcommands: [
            RtdbGetCommand.self, RtdbSetCommand.self, RtdbUpdateCommand.self, RtdbPushCommand.self,
            RtdbRemoveCommand.self, RtdbListenCommand.self, RtdbTransactionCommand.self,
            RtdbKeepCommand.self, RtdbExportCommand.self, RtdbImportCommand.self,
        ])
}
