/// Takes comments and the contents of strings out of Swift, line by line.
struct CodeScanner {
    private enum State: Equatable {
        case code
        case blockComment
        /// In a string over several lines; it ends with three quotes and this many signs.
        case longString(signs: Int)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let sign = UInt8(ascii: "#")
    private static let slash = UInt8(ascii: "/")

    private var state = State.code
    private var line: [UInt8] = []
    private var offset = 0

    /// What of a line is code. Where a string was, two quotes remain.
    mutating func code(of text: Substring) -> String {
        line = Array(text.utf8)
        offset = 0
        if state == .code, !line.contains(where: { $0 == Self.quote || $0 == Self.slash }) {
            return String(text)
        }
        var code: [UInt8] = []
        while offset < line.count {
            switch state {
            case .code: readCode(into: &code)
            case .blockComment: skip(past: Array("*/".utf8))
            case .longString(let signs):
                skip(
                    past: Array(repeating: Self.quote, count: 3)
                        + repeatElement(Self.sign, count: signs))
            }
        }
        return String(decoding: code, as: UTF8.self)
    }

    private func isAt(_ bytes: some Collection<UInt8>, _ place: Int) -> Bool {
        line[place...].starts(with: bytes)
    }

    private mutating func skip(past end: [UInt8]) {
        while offset < line.count {
            if isAt(end, offset) {
                offset += end.count
                state = .code
                return
            }
            offset += 1
        }
    }

    private mutating func readCode(into code: inout [UInt8]) {
        if isAt("//".utf8, offset) {
            offset = line.count
            return
        }
        if isAt("/*".utf8, offset) {
            state = .blockComment
            offset += 2
            return
        }
        let signs = line[offset...].prefix { $0 == Self.sign }.count
        guard offset + signs < line.count, line[offset + signs] == Self.quote else {
            code.append(line[offset])
            offset += 1
            return
        }
        code += [Self.quote, Self.quote]
        offset += signs
        if isAt(Array(repeating: Self.quote, count: 3), offset) {
            offset += 3
            state = .longString(signs: signs)
        } else {
            offset += 1
            skipString(signs: signs)
        }
    }

    /// Passes the quote that ends a string on one line.
    private mutating func skipString(signs: Int) {
        let end = [Self.quote] + repeatElement(Self.sign, count: signs)
        while offset < line.count {
            if isAt(end, offset) {
                offset += end.count
                return
            }
            if signs == 0, isAt("\\(".utf8, offset) {
                offset += 2
                skipInterpolation()
            } else {
                offset += signs == 0 && line[offset] == UInt8(ascii: "\\") ? 2 : 1
            }
        }
    }

    /// Passes the bracket that ends an interpolation, which may hold strings itself.
    private mutating func skipInterpolation() {
        var depth = 1
        while offset < line.count, depth > 0 {
            let byte = line[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case Self.quote: skipString(signs: 0)
            default: break
            }
        }
    }
}
