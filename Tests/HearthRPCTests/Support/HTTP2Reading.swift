// The fuzz target compiles this file together with the machine, see Scripts/fuzz.
#if canImport(HearthRPC)
    @testable import HearthRPC
#endif

/// Gives any bytes to the HTTP/2 machine and answers what comes, for tests and for the fuzzer.
///
/// The first byte of an input says where the others are cut, and how calls are answered. The
/// others follow a client's greeting.
enum HTTP2Reading {
    /// Reads an input, cut and whole.
    ///
    /// - Returns: What is wrong with the machine; `nil` for nothing.
    static func complaint(about input: [UInt8]) -> String? {
        guard let first = input.first else { return nil }
        let bytes = HTTP2Connection.preface + [0, 0, 0, 4, 0, 0, 0, 0, 0] + input.dropFirst()
        var whole = Peer(answer: Int(first) * 8)
        var cut = Peer(answer: Int(first) * 8)
        whole.take(bytes)
        let step = Int(first) % 40 + 1
        for index in stride(from: 0, to: bytes.count, by: step) {
            cut.take(Array(bytes[index..<min(index + step, bytes.count)]))
        }
        guard whole.sent == cut.sent else { return "what is sent depends on where bytes are cut" }
        return whole.complaint ?? cut.complaint
    }

    /// A server with a machine, which answers each request with so many bytes.
    private struct Peer {
        let answer: Int
        var machine = HTTP2Connection()
        var unread: [UInt8] = []
        var sent: [UInt8] = []
        var complaint: String?
        private var isOver = false
        private var unsent: [StreamID: Int] = [:]

        init(answer: Int) {
            self.answer = answer
        }

        mutating func take(_ bytes: [UInt8]) {
            if isOver { return }
            unread += bytes
            do throws(HTTP2Fault) {
                while let reading = try next() {
                    unread.removeFirst(reading.byteCount)
                    if let event = reading.event { answer(event) }
                    flush()
                }
            } catch {
                isOver = true
                flush()
            }
            check()
        }

        private mutating func next() throws(HTTP2Fault) -> HTTP2Connection.Reading? {
            let result = unread.withUnsafeBytes { bytes in
                Result { () throws(HTTP2Fault) in try machine.read(bytes, at: .seconds(1)) }
            }
            return try result.get()
        }

        private mutating func answer(_ event: HTTP2Connection.Event) {
            switch event {
            case .headers(let id, let fields, let isLast):
                if unsent[id] == nil {
                    unsent[id] = 0
                    machine.send([":status": "200", "content-type": "application/grpc"], on: id)
                }
                let message = [UInt8](repeating: 1, count: answer + fields.textByteCount)
                unsent[id, default: 0] += machine.send(message: message, on: id)
                if isLast { machine.finish(id, ["grpc-status": "0"]) }
            case .data(let id, let range, let isLast):
                if range.upperBound > 1 << 15 { complaint = "data lies beyond any frame" }
                unsent[id, default: 0] += machine.send(message: [2], on: id)
                machine.openWindow(of: id)
                if isLast { machine.finish(id, ["grpc-status": "0"]) }
            case .pong: machine.ping()
            }
        }

        private mutating func flush() {
            for departure in machine.takeDepartures() {
                unsent[departure.stream, default: 0] -= departure.byteCount
            }
            for end in machine.takeEnds() {
                let left = unsent.removeValue(forKey: end.stream) ?? 0
                if left != end.droppedByteCount { complaint = "\(end) leaves \(left) bytes" }
            }
            sent += machine.output
            machine.outputLeft()
        }

        private mutating func check() {
            if unread.count > ConnectionLimits.frameByteCountMax + FrameHead.byteCount {
                complaint = "\(unread.count) bytes wait, more than a frame"
            }
            if machine.streams.count > ConnectionLimits.streamCountMax {
                complaint = "there are \(machine.streams.count) streams"
            }
            if machine.sendWindow < 0 { complaint = "more was sent than there was room" }
            var rest = sent[...]
            while !rest.isEmpty {
                guard let head = rest.withUnsafeBytes({ FrameHead($0) }),
                    rest.count >= head.frameByteCount
                else { return complaint = "what is sent is no frame" }
                rest = rest.dropFirst(head.frameByteCount)
            }
        }
    }
}
