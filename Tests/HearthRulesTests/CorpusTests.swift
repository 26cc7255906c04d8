import HearthRules
import HearthTestSupport
import Testing

/// What a fuzzer has found worth keeping is read in every run of the tests.
struct CorpusTests {
    @Test func `rules of the corpus are read, or refused with a place in them`() {
        let inputs = FuzzCorpus.inputs(of: "Rules")
        #expect(inputs.count > 3)
        var readCount = 0
        for (name, bytes) in inputs {
            let source = String(decoding: bytes, as: UTF8.self)
            do throws(RulesError) {
                _ = try RuleSet(source)
                readCount += 1
            } catch {
                let lineCount = source.utf8.count { $0 == 10 } + 1
                #expect((1...lineCount).contains(error.position.line), "\(name)")
            }
        }
        #expect(readCount > 1)
    }

    @Test func `rules for the Realtime Database are read, or refused with a place in them`() {
        let inputs = FuzzCorpus.inputs(of: "RealtimeRules")
        #expect(inputs.count > 3)
        var readCount = 0
        for (name, bytes) in inputs {
            let source = String(decoding: bytes, as: UTF8.self)
            do throws(RulesError) {
                _ = try RealtimeRuleSet(source)
                readCount += 1
            } catch {
                let lineCount = source.utf8.count { $0 == 10 } + 1
                #expect((1...lineCount).contains(error.position.line), "\(name)")
            }
        }
        #expect(readCount > 1)
    }
}
