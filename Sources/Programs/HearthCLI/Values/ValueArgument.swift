/// A value for the Realtime Database, on the command line, on standard input or in a file.
enum ValueArgument {
    /// Reads the value of an argument; `-` stands for standard input.
    static func read(_ text: String) throws(Failure) -> ValueLiteral {
        do throws(ValueSyntaxError) {
            if text != "-" {
                return try ValueReader.readArgument(text, wideIntegers: .double)
            }
        } catch {
            throw Failure(.usage, "\"\(text)\" is no value: \(error).".oneLine)
        }
        return try file("-")
    }

    /// Reads a file of one value; `-` stands for standard input.
    static func file(
        _ path: String, byteCountMax: Int = InputFile.valueByteCountMax
    ) throws(Failure) -> ValueLiteral {
        let bytes = try InputFile.read(path, byteCountMax: byteCountMax)
        do throws(ValueSyntaxError) {
            return try ValueReader.read(bytes, wideIntegers: .double)
        } catch {
            throw Failure(.usage, "\(InputFile.name(of: path)) is no value \(error).")
        }
    }
}
