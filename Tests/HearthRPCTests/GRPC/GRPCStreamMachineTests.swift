import HearthModel
import NIOCore
import Testing

@testable import HearthRPC

struct GRPCStreamMachineTests {
    private static let commit = CallMethod(name: "Commit", shape: .unary, number: 0)
    private static let get = CallMethod(name: "GetDocument", shape: .unary, number: 1)
    private static let listen = CallMethod(name: "Listen", shape: .bidirectional, number: 2)
    private static let write = CallMethod(name: "Write", shape: .bidirectional, number: 3)
    private static let methods = Dictionary(
        uniqueKeysWithValues: [commit, get, listen, write].map { ($0.name, $0) })

    private func head(_ method: String, _ more: KeyValuePairs<String, String> = [:])
        -> GRPCRequestHead
    {
        var headers: HeaderFields = [
            ":method": "POST", ":path": "/google.firestore.v1.Firestore/\(method)",
            "content-type": "application/grpc+proto",
        ]
        for (name, value) in more { headers.add(name: name, value: value) }
        return GRPCRequestHead(headers)
    }

    private func message(_ bytes: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.writeGRPCMessage(bytes)
        return buffer
    }

    private func code(_ actions: [GRPCStreamMachine.Action]) -> StatusCode? {
        guard case .refuse(let error)? = actions.last else { return nil }
        return error.code
    }

    @Test func `a call of one request is made when the client has ended`() {
        var machine = GRPCStreamMachine(requestByteCountMax: 10)
        #expect(machine.received(head("Commit"), of: Self.methods["Commit"], isLast: false) == [])
        #expect(machine.received(message([1, 2]), isLast: false) == [])
        #expect(
            machine.received(ByteBuffer(), isLast: true)
                == [.call(Self.commit, ByteBuffer(bytes: [1, 2]))])
        #expect(!machine.isReading)
    }

    @Test func `trailers of a client end its requests too`() {
        var machine = GRPCStreamMachine(requestByteCountMax: 10)
        _ = machine.received(head("GetDocument"), of: Self.methods["GetDocument"], isLast: false)
        _ = machine.received(message([]), isLast: false)
        #expect(
            machine.received(GRPCRequestHead([:]), of: nil, isLast: true)
                == [.call(Self.get, ByteBuffer())])
    }

    @Test func `a call of many requests begins at once and hands on each`() {
        var machine = GRPCStreamMachine(requestByteCountMax: 10)
        #expect(
            machine.received(head("Listen"), of: Self.methods["Listen"], isLast: false) == [
                .open(Self.listen)
            ])
        var two = message([1])
        two.writeImmutableBuffer(message([2]))
        #expect(
            machine.received(two, isLast: true)
                == [
                    .deliver(ByteBuffer(bytes: [1])), .deliver(ByteBuffer(bytes: [2])), .halfClose,
                ])
    }

    @Test(arguments: ["Nothing", "commit", ""])
    func `an unknown method is refused`(method: String) {
        var machine = GRPCStreamMachine(requestByteCountMax: 10)
        #expect(
            code(machine.received(head(method), of: Self.methods[method], isLast: false))
                == .unimplemented)
        #expect(machine.received(message([1]), isLast: true) == [])
    }

    @Test func `what is no call is refused`() {
        var machine = GRPCStreamMachine(requestByteCountMax: 10)
        let get = head("Commit", [":method": "GET"])
        guard
            case .refuse(let verb)? = machine.received(
                get, of: Self.methods["Commit"], isLast: true
            ).last
        else {
            Issue.record("A call by GET is carried out")
            return
        }
        #expect(verb.code == .unimplemented)
        #expect(verb.message.contains("is called by HTTP's POST"))
        machine = GRPCStreamMachine(requestByteCountMax: 10)
        let hasty = head("Commit", ["grpc-timeout": "soon"])
        #expect(
            code(machine.received(hasty, of: Self.methods["Commit"], isLast: false))
                == .internalError)
        machine = GRPCStreamMachine(requestByteCountMax: 10)
        let packed = head("Commit", ["grpc-encoding": "snappy"])
        #expect(
            code(machine.received(packed, of: Self.methods["Commit"], isLast: false))
                == .unimplemented)
    }

    @Test(arguments: ["Commit", "Write"])
    func `a call whose time is over before it comes is not begun`(method: String) {
        var machine = GRPCStreamMachine(requestByteCountMax: 10)
        let late = head(method, ["grpc-timeout": "0m"])
        #expect(
            code(machine.received(late, of: Self.methods[method], isLast: false))
                == .deadlineExceeded)
        #expect(machine.received(message([1]), isLast: true) == [])
    }

    @Test func `a call without its request, with two or with half of one is refused`() {
        var none = GRPCStreamMachine(requestByteCountMax: 10)
        #expect(
            code(none.received(head("Commit"), of: Self.methods["Commit"], isLast: true))
                == .internalError)
        var two = GRPCStreamMachine(requestByteCountMax: 10)
        _ = two.received(head("Commit"), of: Self.methods["Commit"], isLast: false)
        _ = two.received(message([1]), isLast: false)
        #expect(code(two.received(message([2]), isLast: false)) == .internalError)
        var half = GRPCStreamMachine(requestByteCountMax: 10)
        _ = half.received(head("Commit"), of: Self.methods["Commit"], isLast: false)
        #expect(code(half.received(ByteBuffer(bytes: [0, 0, 0]), isLast: true)) == .internalError)
        var large = GRPCStreamMachine(requestByteCountMax: 1)
        _ = large.received(head("Commit"), of: Self.methods["Commit"], isLast: false)
        #expect(code(large.received(message([1, 2]), isLast: true)) == .invalidArgument)
    }

    @Test func `nothing that comes after the end matters`() {
        var machine = GRPCStreamMachine(requestByteCountMax: 10)
        _ = machine.received(head("Write"), of: Self.methods["Write"], isLast: false)
        machine.finished()
        #expect(machine.received(message([1]), isLast: true) == [])
        #expect(!machine.isReading)
    }

    @Test(arguments: [
        ("1H", TimeAmount.hours(1)), ("2M", .minutes(2)), ("10S", .seconds(10)),
        ("99999999m", .milliseconds(99_999_999)), ("5u", .microseconds(5)), ("0n", .nanoseconds(0)),
        ("99999999H", .hours(24 * 365)),
    ])
    func `a timeout is read`(text: String, time: TimeAmount) {
        #expect(GRPCRequestHead.timeout(text) == time)
    }

    @Test(arguments: ["", "S", "5", "5s", "-1S", "1.5S", "123456789S", "1 S", "S1"])
    func `what is no timeout is none`(text: String) {
        #expect(GRPCRequestHead.timeout(text) == nil)
    }

    @Test(arguments: [
        ("plain text", "plain text"), ("50%", "50%25"), ("é\n", "%C3%A9%0A"), ("", ""),
        ("\u{7F}~", "%7F~"),
    ])
    func `a status message travels as ASCII`(message: String, header: String) {
        #expect(GRPCStatusText.encode(message) == header)
    }
}
