import HearthTestSupport
import HearthWire
import Testing

struct FrameTests {
    private let frames = [
        Frame(kind: 1, request: 0, body: []),
        Frame(kind: 255, request: .max, body: [1, 2, 3]),
        Frame(kind: 7, request: 0x0102_0304_0506_0708, body: [UInt8](repeating: 9, count: 40)),
    ]

    private var stream: [UInt8] { frames.flatMap(FrameEncoder.bytes) }

    @Test func `a frame is its length, kind, request and body, the numbers big-endian`() {
        let bytes = FrameEncoder.bytes(of: Frame(kind: 3, request: 258, body: [0xAA, 0xBB]))
        #expect(bytes == [0, 0, 0, 11, 3, 0, 0, 0, 0, 0, 0, 1, 2, 0xAA, 0xBB])
    }

    @Test func `the decoder finds the frames wherever the stream is cut in two`() throws {
        for cut in 0...stream.count {
            var decoder = FrameDecoder()
            let first = try decoder.frames(from: Array(stream[..<cut]))
            let second = try decoder.frames(from: Array(stream[cut...]))
            #expect(first + second == frames, "cut at \(cut)")
            #expect(!decoder.isInsideFrame)
        }
    }

    @Test func `the decoder finds the frames when the stream comes byte by byte`() throws {
        var decoder = FrameDecoder()
        var found: [Frame] = []
        for byte in stream { found += try decoder.frames(from: [byte]) }
        #expect(found == frames)
    }

    @Test(arguments: 0..<50)
    func `the decoder finds the frames in chunks of any size`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var sent: [Frame] = []
        for _ in 0..<20 {
            let body = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            sent.append(
                Frame(
                    kind: UInt8.random(in: 0...255, using: &random), request: random.next(),
                    body: body))
        }
        var rest = sent.flatMap(FrameEncoder.bytes)[...]
        var decoder = FrameDecoder()
        var found: [Frame] = []
        while !rest.isEmpty {
            let count = Int.random(in: 0...min(300, rest.count), using: &random)
            found += try decoder.frames(from: Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        #expect(found == sent, "seed \(seed)")
    }

    @Test func `a frame in the middle of its bytes is known to be unfinished`() throws {
        var decoder = FrameDecoder()
        #expect(!decoder.isInsideFrame)
        _ = try decoder.frames(from: [0])
        #expect(decoder.isInsideFrame)
        _ = try decoder.frames(from: [0, 0, 10, 1, 0, 0, 0, 0, 0, 0, 0, 0])
        #expect(decoder.isInsideFrame)
        #expect(try decoder.frames(from: [5]).map(\.body) == [[5]])
        #expect(!decoder.isInsideFrame)
    }

    @Test func `a length that does not cover kind and request is refused`() {
        var decoder = FrameDecoder()
        #expect(throws: FrameError.tooShort(byteCount: 8)) {
            try decoder.frames(from: [0, 0, 0, 8] + [UInt8](repeating: 0, count: 9))
        }
    }

    @Test func `a length beyond the limit is refused before its body comes`() {
        var decoder = FrameDecoder(byteCountMax: 100)
        #expect(throws: FrameError.tooLong(byteCount: 101, byteCountMax: 100)) {
            try decoder.frames(from: [0, 0, 0, 101] + [UInt8](repeating: 0, count: 9))
        }
        var split = FrameDecoder()
        #expect(throws: FrameError.self) {
            for byte in [255, 255, 255, 255] + [UInt8](repeating: 0, count: 9) {
                _ = try split.frames(from: [byte])
            }
        }
    }

    @Test func `a frame of just the limit is taken`() throws {
        var decoder = FrameDecoder(byteCountMax: 12)
        let frame = Frame(kind: 1, request: 2, body: [1, 2, 3])
        #expect(try decoder.frames(from: FrameEncoder.bytes(of: frame)) == [frame])
    }

    @Test func `one body serves many requests`() throws {
        let frame = Frame(kind: 4, request: 0, body: [1, 2])
        var encoder = FrameEncoder()
        encoder.append(frame, request: 10)
        encoder.append(frame, request: 11)
        var decoder = FrameDecoder()
        #expect(try decoder.frames(from: encoder.take()).map(\.request) == [10, 11])
        #expect(encoder.bytes.isEmpty)
        #expect(
            FrameEncoder.header(of: frame, request: 10) + frame.body
                == FrameEncoder.bytes(of: Frame(kind: 4, request: 10, body: [1, 2])))
    }

    @Test(arguments: 0..<200)
    func `random bytes never crash the decoder`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var decoder = FrameDecoder(byteCountMax: 1_000)
        do {
            for _ in 0..<50 {
                let count = Int.random(in: 0...64, using: &random)
                // Small lengths are likely, so that frames do come out.
                let chunk = (0..<count).map { _ in
                    random.next() % 3 == 0 ? UInt8.random(in: 0...255, using: &random) : 0
                }
                _ = try decoder.frames(from: chunk)
            }
        } catch {
            return  // A length that is none: the stream ends here.
        }
    }

    @Test func `what is kept of a frame that has begun is told until it ends`() throws {
        let bytes = FrameEncoder.bytes(of: frames[2])
        var decoder = FrameDecoder()
        _ = try decoder.frames(from: Array(bytes.prefix(20)))
        #expect(decoder.heldByteCount == 20)
        _ = try decoder.frames(from: Array(bytes.dropFirst(20)))
        #expect(decoder.heldByteCount == 0)
    }
}
