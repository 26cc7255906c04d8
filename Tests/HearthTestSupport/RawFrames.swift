/// Frames of HTTP/2 by hand, for what no client library does.
///
/// Shape: length u24 BE | type u8 | flags u8 | stream u32 BE | payload.
package enum RawFrames {
    /// What a client begins with: the preface and its settings, none.
    package static let greeting =
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + frame(4, 0, 0, [])

    /// A call of one request, which ends the stream.
    package static func call(
        _ method: String, on stream: UInt32 = 1, headers: [(String, String)] = [],
        isCompressed: Bool = false, _ message: [UInt8]
    ) -> [UInt8] {
        open(method, on: stream, headers: headers)
            + data(on: stream, isCompressed: isCompressed, isLast: true, message)
    }

    /// The beginning of a call of Firestore's, or of any method by its whole path.
    package static func open(
        _ method: String, on stream: UInt32 = 1, headers: [(String, String)] = []
    ) -> [UInt8] {
        let all =
            [
                (":method", "POST"), (":scheme", "http"),
                (
                    ":path",
                    method.hasPrefix("/") ? method : "/google.firestore.v1.Firestore/\(method)"
                ), (":authority", "emulator"),
                ("te", "trailers"), ("content-type", "application/grpc"),
            ] + headers
        return frame(1, 4, stream, all.flatMap(literal))
    }

    /// One request of a call.
    package static func data(
        on stream: UInt32 = 1, isCompressed: Bool = false, isLast: Bool = false,
        _ message: [UInt8]
    ) -> [UInt8] {
        frame(
            0, isLast ? 1 : 0, stream,
            [isCompressed ? 1 : 0] + bigEndian(message.count, 4) + message)
    }

    /// One frame of an answer.
    package struct Frame: Equatable {
        /// What it is: 0 data, 1 headers, 3 reset, 6 ping, 7 goodbye.
        package let type: UInt8
        /// What is special about it.
        package let flags: UInt8
        /// Its stream; 0 for the connection.
        package let stream: UInt32
        /// What follows the head.
        package let payload: [UInt8]

        /// Whether it is the last of its stream.
        package var isLast: Bool { type <= 1 && flags & 1 == 1 }
    }

    /// Cuts bytes into whole frames.
    package static func frames(_ bytes: [UInt8]) -> [Frame] {
        var rest = bytes[...]
        var frames: [Frame] = []
        while rest.count >= 9 {
            let head = Array(rest.prefix(9))
            let length = number(head[..<3])
            guard rest.count >= 9 + length else { break }
            frames.append(
                Frame(
                    type: head[3], flags: head[4], stream: UInt32(number(head[5...])),
                    payload: Array(rest.dropFirst(9).prefix(length))))
            rest = rest.dropFirst(9 + length)
        }
        return frames
    }

    /// Any frame.
    package static func frame(
        _ type: UInt8, _ flags: UInt8, _ stream: UInt32, _ payload: [UInt8]
    ) -> [UInt8] {
        bigEndian(payload.count, 3) + [type, flags] + bigEndian(Int(stream), 4) + payload
    }

    /// A header that no table remembers.
    private static func literal(_ name: String, _ value: String) -> [UInt8] {
        [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)]
            + Array(value.utf8)
    }

    private static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
