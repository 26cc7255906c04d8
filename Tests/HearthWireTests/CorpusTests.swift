import HearthTestSupport
import HearthWire
import Testing

/// What a fuzzer has found worth keeping is decoded in every run of the tests.
struct CorpusTests {
    @Test func `a message of the corpus is read, or refused, and written so that it is the same`()
        throws
    {
        let inputs = FuzzCorpus.inputs(of: "Messages")
        var kinds: Set<UInt8> = []
        for (name, bytes) in inputs {
            let frame = Frame(
                kind: try #require(bytes.first), request: 1, body: Array(bytes.dropFirst()))
            for codec in [Samples.codec, InstanceSamples.codec] {
                if let request = try? codec.request(frame) {
                    let again = try codec.frame(of: request, number: 1)
                    #expect(try codec.request(again) == request, "\(name)")
                    kinds.insert(frame.kind)
                }
                if let event = try? codec.event(frame) {
                    let again = try codec.frame(of: event, number: 1)
                    #expect(try codec.event(again) == event, "\(name)")
                    kinds.insert(frame.kind)
                }
            }
        }
        #expect(inputs.count > 90)
        #expect(kinds.isSuperset(of: 32...38))
        #expect(kinds.isSuperset(of: 173...175))
        #expect(kinds.isSuperset(of: [90, 220]))
        #expect(kinds.count > 50)
    }

    @Test func `a stream of the corpus holds the same frames however it is cut`() {
        let inputs = FuzzCorpus.inputs(of: "Frames")
        #expect(inputs.count > 3)
        for (name, bytes) in inputs {
            var whole = FrameDecoder()
            var pieces = FrameDecoder()
            let expected = Result { () throws(FrameError) in try whole.frames(from: bytes) }
            let found = Result { () throws(FrameError) in
                var frames: [Frame] = []
                for byte in bytes { frames += try pieces.frames(from: [byte]) }
                return frames
            }
            #expect(expected == found, "\(name)")
        }
    }
}
