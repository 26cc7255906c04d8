/// One step of a fuzzer's input: a frame of a client, or something that the backend says.
///
/// Shape of an input: steps, each kind u8 | number u8 | byte count u16 BE | body. A kind from 200 on is
/// the backend's, each below is a frame's.
struct RequestStep {
    enum Kind {
        case frame(UInt8)
        case watched, written, closed, called, timer, restarted
    }

    /// The first kind that is no frame's.
    static let firstOther: UInt8 = 200

    var kindByte: UInt8
    var number: UInt8
    var body: [UInt8]

    var kind: Kind {
        switch kindByte {
        case 200: .watched
        case 201: .written
        case 202: .closed
        case 203: .called
        case 204: .timer
        case 205: .restarted
        default: .frame(kindByte)
        }
    }

    /// Cuts an input into steps; a last one may be shorter than it says.
    static func steps(in input: some Collection<UInt8>) -> [RequestStep] {
        var rest = Array(input)[...]
        var steps: [RequestStep] = []
        while rest.count >= 4 {
            let head = Array(rest.prefix(4))
            rest = rest.dropFirst(4)
            let body = rest.prefix(Int(head[2]) << 8 | Int(head[3]))
            rest = rest.dropFirst(body.count)
            steps.append(RequestStep(kindByte: head[0], number: head[1], body: Array(body)))
        }
        return steps
    }

    /// The input of steps.
    static func bytes(of steps: [RequestStep]) -> [UInt8] {
        steps.flatMap { step in
            let count = min(step.body.count, 0xFFFF)
            return [step.kindByte, step.number, UInt8(count >> 8), UInt8(count & 0xFF)]
                + step.body.prefix(count)
        }
    }
}
