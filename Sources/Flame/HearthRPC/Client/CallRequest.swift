package import NIOCore
import NIOHPACK

/// The head of a call to a server: the method, its metadata and how long the call may take.
package struct CallRequest: Sendable {
    /// The method's path, such as `/google.firestore.v1.Firestore/Commit`.
    package let path: String
    /// Names with values, which go before the first message.
    package var metadata: [(name: String, value: String)]
    /// How long the call may take, counted from when it is begun; `nil` for ever.
    package var timeout: TimeAmount?

    /// Names a method.
    ///
    /// - Parameters:
    ///   - path: The method's path, such as `/google.firestore.v1.Firestore/Commit`.
    ///   - metadata: Names with values, which go before the first message.
    ///   - timeout: How long the call may take, counted from when the call is begun; `nil` for
    ///     ever.
    package init(
        _ path: String, metadata: [(name: String, value: String)] = [], timeout: TimeAmount? = nil
    ) {
        self.path = path
        self.metadata = metadata
        self.timeout = timeout
    }

    /// The headers that begin the call's stream.
    func headers(to server: ClientConfiguration) -> HPACKHeaders {
        var headers: HPACKHeaders = [
            ":method": "POST", ":scheme": server.isSecure ? "https" : "http", ":path": path,
            ":authority": server.authority, "te": "trailers", "content-type": "application/grpc",
            "user-agent": ClientConfiguration.userAgent,
        ]
        if let timeout {
            // It differs from call to call, so it is not worth a place in the header table.
            headers.add(
                name: "grpc-timeout", value: Self.text(of: timeout), indexing: .nonIndexable)
        }
        for (name, value) in metadata { headers.add(name: name, value: value) }
        return headers
    }

    /// Writes a timeout: at most eight digits and a unit, as exact as that allows.
    static func text(of timeout: TimeAmount) -> String {
        let nanoseconds = max(timeout.nanoseconds, 0)
        let most: Int64 = 99_999_999
        for (unit, length) in [("n", 1), ("u", 1_000), ("m", 1_000_000), ("S", 1_000_000_000)] {
            let count = nanoseconds / Int64(length)
            if count <= most { return "\(count)\(unit)" }
        }
        return "\(most)S"
    }
}

/// Who hears the answer of one call, always on the channel's event loop.
package struct CallListener: Sendable {
    /// The call has gone out. Not told of a call that ends before.
    package let opened: @Sendable () -> Void
    /// Takes a message. Returns whether the next message may come now; if not, `ClientCall.resume`
    /// must follow.
    package let received: @Sendable (ByteBuffer) -> Bool
    /// Hears of the end; called once, after all messages.
    package let ended: @Sendable (CallEnd) -> Void

    /// Joins the closures.
    ///
    /// - Parameters:
    ///   - opened: Hears that the call has gone out.
    ///   - received: Takes a message, and returns whether the next message may come now.
    ///   - ended: Hears of the end, once, after all messages.
    package init(
        opened: @escaping @Sendable () -> Void = {},
        received: @escaping @Sendable (ByteBuffer) -> Bool,
        ended: @escaping @Sendable (CallEnd) -> Void
    ) {
        self.opened = opened
        self.received = received
        self.ended = ended
    }
}
