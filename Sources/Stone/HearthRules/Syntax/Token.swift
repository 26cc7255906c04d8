/// One word or sign of a source.
struct Token: Sendable {
    /// What it is.
    enum Kind: Equatable, Sendable {
        case name(String)
        case integer(Int64)
        case float(Double)
        case string(String)
        case bytes([UInt8])
        /// A sign such as `&&`, `(` or `/`.
        case sign(Sign)
        case end
    }

    /// The signs, longest first where one begins another.
    enum Sign: String, Equatable, Sendable, CaseIterable {
        case and = "&&"
        case or = "||"
        case identical = "==="
        case notIdentical = "!=="
        case equal = "=="
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case less = "<"
        case greater = ">"
        case not = "!"
        case plus = "+"
        case minus = "-"
        case times = "*"
        case slash = "/"
        case percent = "%"
        case question = "?"
        case colon = ":"
        case semicolon = ";"
        case comma = ","
        case dot = "."
        case assign = "="
        case dollar = "$"
        case openParenthesis = "("
        case closeParenthesis = ")"
        case openBracket = "["
        case closeBracket = "]"
        case openBrace = "{"
        case closeBrace = "}"
    }

    let kind: Kind
    /// Where it begins, in bytes from the start of the source.
    let offset: Int

    /// Whether it is a bracket.
    var isBracket: Bool {
        switch kind {
        case .sign(.openParenthesis), .sign(.openBracket), .sign(.openBrace),
            .sign(.closeParenthesis), .sign(.closeBracket), .sign(.closeBrace):
            true
        case .name, .integer, .float, .string, .bytes, .sign, .end: false
        }
    }

    /// The token as an error quotes it.
    var text: String {
        switch kind {
        case .name(let name): "\"\(name)\""
        case .integer(let number): "\"\(number)\""
        case .float(let number): "\"\(number)\""
        case .string: "a string"
        case .bytes: "a string of bytes"
        case .sign(let sign): "\"\(sign.rawValue)\""
        case .end: "the end of the source"
        }
    }
}

extension Lexer.Dialect {
    /// The signs that mean something, longest first where one begins another.
    var signs: [Token.Sign] {
        switch self {
        case .firestore: Self.firestoreSigns
        case .realtime: Token.Sign.allCases
        }
    }

    private static let firestoreSigns = Token.Sign.allCases.filter {
        $0 != .identical && $0 != .notIdentical
    }
}
