import HearthModel
import HearthTestSupport
import NIOCore
import NIOHPACK
import NIOHTTP2
import Testing

@testable import HearthRPC

struct ClientCallMachineTests {
    private static let begin: HPACKHeaders = [
        ":status": "200", "content-type": "application/grpc+proto",
    ]

    private static func framed(_ messages: [[UInt8]], flag: UInt8 = 0) -> ByteBuffer {
        var buffer = ByteBuffer()
        for message in messages {
            buffer.writeInteger(flag)
            buffer.writeInteger(UInt32(message.count))
            buffer.writeBytes(message)
        }
        return buffer
    }

    /// What is told: the messages, and the end if there is one.
    private static func drain(
        _ machine: inout ClientCallMachine
    ) -> (messages: [[UInt8]], end: CallEnd?) {
        var messages: [[UInt8]] = []
        while let event = machine.next() {
            switch event {
            case .message(let message): messages.append(Array(message.readableBytesView))
            case .end(let end): return (messages, end)
            }
        }
        return (messages, nil)
    }

    /// How a call ends that does nothing else than `body`.
    private static func end(_ body: (inout ClientCallMachine) -> Void) -> CallEnd? {
        var machine = ClientCallMachine(messageByteCountMax: 100)
        body(&machine)
        let end = drain(&machine).end
        #expect(!machine.isReading)
        return end
    }

    @Test func `messages are told in order, and the end behind them`() throws {
        var machine = ClientCallMachine(messageByteCountMax: 100)
        machine.received([":status": "103"], isLast: false)
        machine.received(Self.begin, isLast: false)
        #expect(machine.next() == nil)
        machine.received(Self.framed([[1], [2, 3]]), isLast: false)
        machine.received(["grpc-status": "0"], isLast: true)
        machine.closed(nil)
        let (messages, end) = Self.drain(&machine)
        #expect(messages == [[1], [2, 3]])
        #expect(end?.error == nil)
        #expect(machine.next() == nil)
    }

    @Test func `an error has its text and its details, with trailers alone too`() {
        let error: HPACKHeaders = [
            ":status": "200", "content-type": "application/grpc", "grpc-status": "9",
            "grpc-message": "n%C3%A9 100%", "grpc-status-details-bin": "AQI",
        ]
        for isAlone in [true, false] {
            let end = Self.end { machine in
                if !isAlone { machine.received(Self.begin, isLast: false) }
                machine.received(error, isLast: true)
            }
            #expect(end?.error == HearthError(code: .failedPrecondition, message: "né 100%"))
            #expect(end?.details == [1, 2])
            #expect(end?.isUnreadable == false)
        }
    }

    @Test(
        arguments: [
            ("400", .internalError), ("401", .unauthenticated), ("403", .permissionDenied),
            ("404", .unimplemented), ("429", .unavailable), ("502", .unavailable),
            ("503", .unavailable), ("504", .unavailable), ("302", .unknown), ("", .unknown),
        ] as [(String, StatusCode)])
    func `a status of HTTP stands for one of gRPC, unless that is there`(
        status: String, code: StatusCode
    ) {
        for isLast in [true, false] {
            let end = Self.end { $0.received([":status": status], isLast: isLast) }
            #expect(end?.error?.code == code)
            let told = Self.end {
                $0.received([":status": status, "grpc-status": "11"], isLast: isLast)
            }
            #expect(told?.error?.code == .outOfRange)
        }
    }

    @Test(
        arguments: [
            (.noError, .internalError), (.protocolError, .internalError),
            (.internalError, .internalError), (.flowControlError, .internalError),
            (.refusedStream, .unavailable), (.cancel, .cancelled),
            (.enhanceYourCalm, .resourceExhausted), (.inadequateSecurity, .permissionDenied),
        ] as [(HTTP2ErrorCode, StatusCode)])
    func `a reset stands for a status, and only a refused call is untouched`(
        code: HTTP2ErrorCode, status: StatusCode
    ) {
        let end = Self.end { $0.closed(code) }
        #expect(end?.error?.code == status)
        #expect(end?.isUntouched == (code == .refusedStream))
    }

    @Test func `what leaves gRPC's rules ends the call as the server's fault`() {
        let ends: [(CallEnd?, StatusCode)] = [
            (Self.end { $0.received([":status": "200"], isLast: false) }, .unknown),
            (Self.end { $0.received(Self.begin, isLast: true) }, .unknown),
            (Self.end { $0.received(ByteBuffer(), isLast: false) }, .internalError),
            (Self.end { $0.closed(nil) }, .internalError),
            (
                Self.end {
                    $0.received(Self.begin, isLast: false)
                    $0.received(Self.begin, isLast: false)
                }, .internalError
            ),
            (
                Self.end {
                    $0.received(Self.begin, isLast: false)
                    $0.received(ByteBuffer(bytes: [0, 0, 0]), isLast: false)
                    $0.received(["grpc-status": "0"], isLast: true)
                }, .internalError
            ),
            (
                Self.end {
                    $0.received(Self.begin, isLast: false)
                    $0.received(Self.framed([[1]]), isLast: true)
                }, .internalError
            ),
            (
                Self.end {
                    $0.received(Self.begin, isLast: false)
                    $0.received(["grpc-status": "ok"], isLast: true)
                }, .unknown
            ),
            (
                Self.end {
                    var head = Self.begin
                    head.add(name: "grpc-encoding", value: "snappy")
                    $0.received(head, isLast: false)
                }, .internalError
            ),
        ]
        for (end, code) in ends { #expect(end?.error?.code == code) }
    }

    @Test func `a message above the limit is refused before it comes`() {
        let end = Self.end {
            $0.received(Self.begin, isLast: false)
            $0.received(ByteBuffer(bytes: [0, 0, 0, 0, 101]), isLast: false)
        }
        #expect(end?.error?.code == .resourceExhausted)
        #expect(end?.error?.message.contains("100") == true)
    }

    @Test func `packed messages are unpacked if the headers say how, up to the limit`() {
        for (count, code) in [(100, nil), (101, StatusCode.resourceExhausted)] {
            var head = Self.begin
            head.add(name: "grpc-encoding", value: "gzip")
            let message = [UInt8](repeating: 7, count: count)
            var machine = ClientCallMachine(messageByteCountMax: 100)
            machine.received(head, isLast: false)
            machine.received(
                Self.framed([ContentCoding.gzip(message)], flag: 1), isLast: false)
            let (messages, end) = Self.drain(&machine)
            #expect(messages == (code == nil ? [message] : []))
            #expect(end?.error?.code == code)
            if code != nil { #expect(end?.isUnreadable == true) }
        }
        let plain = Self.end {
            $0.received(Self.begin, isLast: false)
            $0.received(Self.framed([[1]], flag: 1), isLast: false)
        }
        #expect(plain?.error?.code == .internalError)
        #expect(plain?.isUnreadable == true)
    }

    @Test(arguments: UInt64(0)..<200)
    func `whatever comes in whatever order, the end is told once and nothing behind it`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        var machine = ClientCallMachine(messageByteCountMax: 64)
        var endCount = 0
        for _ in 0..<60 {
            let isLast = Int.random(in: 0..<8, using: &random) == 0
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1: machine.received(Self.anyHeaders(&random), isLast: isLast)
            case 2: machine.received(Self.begin, isLast: isLast)
            case 7: machine.closed(HTTP2ErrorCode(networkCode: .random(in: 0..<20, using: &random)))
            default:
                let count = Int.random(in: 0..<40, using: &random)
                let bytes = (0..<count).map { _ in
                    random.pick([0, 0, 0, 1, .random(in: 0...255, using: &random)] as [UInt8])
                }
                machine.received(ByteBuffer(bytes: bytes), isLast: isLast)
            }
            while let event = machine.next() {
                #expect(endCount == 0, "something was told behind the end")
                if case .end = event { endCount += 1 }
            }
        }
        machine.closed(nil)
        while machine.next() != nil { endCount += 1 }
        #expect(endCount == 1)
    }

    private static func anyHeaders(_ random: inout SeededGenerator) -> HPACKHeaders {
        var headers: HPACKHeaders = [:]
        for _ in 0..<Int.random(in: 0..<5, using: &random) {
            let name = random.pick([
                ":status", "content-type", "grpc-status", "grpc-message", "grpc-encoding",
                "grpc-status-details-bin", "x",
            ])
            headers.add(
                name: name,
                value: random.pick([
                    "200", "", "%", "%zz%4", "application/grpc", "gzip", "0", "16", "17", "-1",
                    "99999999999999999999", "====", "A", "AQI",
                ]))
        }
        return headers
    }
}
