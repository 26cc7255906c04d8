import HearthTestSupport
import Testing

@testable import HearthCLI

/// What a fuzzer has found worth keeping is read in every run of the tests.
struct CorpusTests {
    @Test func `a value of the corpus is written so that it is read as the same`() throws {
        var valueCount = 0
        for (name, bytes) in FuzzCorpus.inputs(of: "Texts") where bytes.first == 1 {
            guard let value = try? ValueReader.read(Array(bytes.dropFirst())) else { continue }
            valueCount += 1
            for style in [ValueWriter.Style.text, .json] {
                let written = ValueWriter.write(value, as: style)
                let again = ValueWriter.write(try ValueReader.read(written), as: style)
                #expect(again.utf8.elementsEqual(written.utf8), "\(name)")
            }
        }
        #expect(valueCount > 1)
    }
}
