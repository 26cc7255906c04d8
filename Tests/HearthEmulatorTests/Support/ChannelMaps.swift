import HearthModel

/// The messages of browsers on a channel, and the server's messages to browsers, in short.
enum ChannelMaps {
    /// Listens to a collection.
    static func listen(
        _ collection: String, as id: Int, in database: String = RawClient.database,
        filter: String = ""
    ) -> String {
        """
        {"database":"\(database)","addTarget":{"targetId":\(id),"query":{"parent":\
        "\(database)/documents","structuredQuery":{"from":[{"collectionId":"\(collection)"}]\
        \(filter)}}}}
        """
    }

    /// Listens no more.
    static func unlisten(_ id: Int, in database: String = RawClient.database) -> String {
        #"{"database":"\#(database)","removeTarget":\#(id)}"#
    }

    /// Begins a write stream.
    static func handshake(in database: String = RawClient.database) -> String {
        #"{"database":"\#(database)"}"#
    }

    /// Sets a number, on the condition that the document is or is not there.
    static func set(_ path: String, _ number: Int, exists: Bool? = nil, token: String) -> String {
        let condition = exists.map { #","currentDocument":{"exists":\#($0)}"# } ?? ""
        return """
            {"streamToken":"\(token)","writes":[{"update":{"name":"\(RawClient.name(path))",\
            "fields":{"n":{"integerValue":"\(number)"}}}\(condition)}]}
            """
    }

    /// What an array of the listen stream says: `ADD 2`, `rooms/a 2`, `REMOVE 2: 3 why`.
    static func summary(_ array: JSONValue) -> String {
        let message = array.elements?.first ?? .null
        if let word = message.string { return word }
        if let change = message["targetChange"] {
            let ids = change["targetIds"]?.elements?.compactMap(\.integer) ?? []
            let cause = change["cause"].map {
                ": \($0["code"]?.integer ?? 0) \($0["message"]?.string ?? "")"
            }
            let parts = [change["targetChangeType"]?.string ?? "NO_CHANGE"] + ids.map { "\($0)" }
            return parts.joined(separator: " ") + (cause ?? "")
        }
        if let change = message["documentChange"] {
            let name = change["document"]?["name"]?.string ?? ""
            let ids = change["targetIds"]?.elements?.compactMap(\.integer) ?? []
            let path = name.split(separator: "/").dropFirst(5).joined(separator: "/")
            return ([path] + ids.map { "\($0)" }).joined(separator: " ")
        }
        if let error = message["error"] { return "error \(error["status"]?.string ?? "")" }
        return (message.members ?? []).map(\.name).joined(separator: " ")
    }
}
