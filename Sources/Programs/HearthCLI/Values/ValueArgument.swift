/// A value on the command line, or on standard input.
enum ValueArgument {
    /// Reads the value of an argument; `-` stands for standard input.
    static func read(_ text: String) throws(Failure) -> ValueLiteral {
        do throws(ValueSyntaxError) {
            guard text == "-" else { return try ValueReader.readArgument(text) }
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
            return try ValueReader.read(bytes)
        } catch {
            throw Failure(.usage, "\(InputFile.name(of: path)) is no value \(error).")
        }
    }
}
