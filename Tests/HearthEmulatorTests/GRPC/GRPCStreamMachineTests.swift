import HearthModel
import NIOCore
import NIOHPACK
import Testing

@testable import HearthEmulator

struct GRPCStreamMachineTests {
    private func head(_ method: String, _ more: KeyValuePairs<String, String> = [:])
        -> GRPCRequestHead
    {
        var headers: HPACKHeaders = [
            ":method": "POST", ":path": "/google.firestore.v1.Firestore/\(method)",
            "content-type": "application/grpc+proto",
        ]
        for (name, value) in more { headers.replaceOrAdd(name: name, value: value) }
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
        #expect(machine.received(head("Commit"), isLast: false) == [])
        #expect(machine.received(message([1, 2]), isLast: false) == [])
        #expect(
            machine.received(ByteBuffer(), isLast: true)
                == [.call(.commit, ByteBuffer(bytes: [1, 2]))])
        #expect(!machine.isReading)
    }

    @Test func `trailers of a client end its requests too`() {
        var machine = GRPCStreamMachine(requestByteCountMax: 10)
        _ = machine.received(head("GetDocument"), isLast: false)
        _ = machine.received(message([]), isLast: false)
        #expect(
            machine.received(GRPCRequestHead([:]), isLast: true)
                == [.call(.getDocument, ByteBuffer())])
    }

    @Test func `a call of many requests begins at once and hands on each`() {
        var machine = GRPCStreamMachine(requestByteCountMax: 10)
        #expect(machine.received(head("Listen"), isLast: false) == [.open(.listen)])
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
        #expect(code(machine.received(head(method), isLast: false)) == .unimplemented)
        #expect(machine.received(message([1]), isLast: true) == [])
    }

    @Test func `what is no call is refused`() {
        var machine = GRPCStreamMachine(requestByteCountMax: 10)
        let get = head("Commit", [":method": "GET"])
        #expect(code(machine.received(get, isLast: true)) == .unimplemented)
        machine = GRPCStreamMachine(requestByteCountMax: 10)
        let hasty = head("Commit", ["grpc-timeout": "soon"])
        #expect(code(machine.received(hasty, isLast: false)) == .internalError)
        machine = GRPCStreamMachine(requestByteCountMax: 10)
        let packed = head("Commit", ["grpc-encoding": "snappy"])
        #expect(code(machine.received(packed, isLast: false)) == .unimplemented)
    }

    @Test func `a call without its request, with two or with half of one is refused`() {
        var none = GRPCStreamMachine(requestByteCountMax: 10)
        #expect(code(none.received(head("Commit"), isLast: true)) == .internalError)
        var two = GRPCStreamMachine(requestByteCountMax: 10)
        _ = two.received(head("Commit"), isLast: false)
        _ = two.received(message([1]), isLast: false)
        #expect(code(two.received(message([2]), isLast: false)) == .internalError)
        var half = GRPCStreamMachine(requestByteCountMax: 10)
        _ = half.received(head("Commit"), isLast: false)
        #expect(code(half.received(ByteBuffer(bytes: [0, 0, 0]), isLast: true)) == .internalError)
        var large = GRPCStreamMachine(requestByteCountMax: 1)
        _ = large.received(head("Commit"), isLast: false)
        #expect(code(large.received(message([1, 2]), isLast: true)) == .invalidArgument)
    }

    @Test func `nothing that comes after the end matters`() {
        var machine = GRPCStreamMachine(requestByteCountMax: 10)
        _ = machine.received(head("Write"), isLast: false)
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
