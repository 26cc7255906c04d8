import HearthModel

/// Feeds any text to the readers of values, JSON, field paths and the configuration: no reader may
/// crash, and every value that is read, written and read again must be the same.
///
/// The first byte chooses the reader. The readers of the command line and of the configuration are
/// compiled into this program, since no library has them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTexts(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    guard count > 0 else { return 0 }
    let input = Array(UnsafeBufferPointer(start: bytes + 1, count: count - 1))
    let text = String(decoding: input, as: UTF8.self)
    switch bytes[0] % 5 {
    case 0: TextFuzz.readJSON(input)
    case 1: TextFuzz.readValue(input)
    case 2: _ = try? ValueReader.readArgument(text)
    case 3: _ = try? FieldPathText(text)
    default: _ = try? TOMLReader.read(text)
    }
    return 0
}

/// What must hold of readers that have a writer.
enum TextFuzz {
    static func readJSON(_ input: [UInt8]) {
        guard let value = try? JSONReader.read(input) else { return }
        let written = JSONWriter.bytes(of: value)
        guard let again = try? JSONReader.read(written) else {
            preconditionFailure("What was written as JSON is none")
        }
        precondition(JSONWriter.bytes(of: again) == written, "JSON is not what was written")
    }

    static func readValue(_ input: [UInt8]) {
        guard let value = try? ValueReader.read(input) else { return }
        for style in [ValueWriter.Style.text, .json] {
            let written = ValueWriter.write(value, as: style)
            guard let again = try? ValueReader.read(written) else {
                preconditionFailure("What was written as a value is none")
            }
            precondition(
                ValueWriter.write(again, as: style).utf8.elementsEqual(written.utf8),
                "A value is not what was written")
        }
    }
}
