import HearthModel
import HearthProtocol
import SwiftProtobuf

// The fuzz target compiles this file together with the readers of tokens, see Scripts/fuzz.
#if canImport(HearthGateway)
    @testable import HearthEmulator
    @testable import HearthGateway
#endif

/// Reads any bytes as tokens and times that clients give back to the gateway and to the emulator,
/// for tests and for the fuzzer.
///
/// The first byte of an input chooses the kind of token, the rest is the token.
enum TokenReading {
    /// The kinds of tokens.
    enum Kind: UInt8, CaseIterable {
        case resumption
        case cachePage
        case emulatorPage
    }

    /// Reads an input.
    ///
    /// - Returns: What is wrong with a token that was taken; `nil` for one that is refused or right.
    static func complaint(about input: [UInt8]) -> String? {
        guard let first = input.first else { return nil }
        let bytes = Array(input.dropFirst())
        switch Kind.allCases[Int(first) % Kind.allCases.count] {
        case .resumption: return complaint(aboutResumption: bytes)
        case .cachePage: return complaint(aboutCachePage: String(decoding: bytes, as: UTF8.self))
        case .emulatorPage:
            return complaint(aboutEmulatorPage: String(decoding: bytes, as: UTF8.self))
        }
    }

    /// A token names one message of one stream, and a client's times never fall behind the token's.
    private static func complaint(aboutResumption bytes: [UInt8]) -> String? {
        guard let token = ResumeToken(bytes), let mark = ResumeMark(token) else { return nil }
        guard mark.bytes == bytes else { return "\(mark) is written otherwise" }
        var proto = ProtoTargetChange()
        proto.readTime = FirestoreCodec.encode(mark.readAt)
        guard proto.readTime.seconds == mark.readAt.seconds else { return "\(mark) has no time" }
        let next = Timestamp(microseconds: mark.readAt.microseconds + 1)
        return next > mark.readAt ? nil : "\(mark) has no next time"
    }

    private static func complaint(aboutCachePage text: String) -> String? {
        guard let token = CacheListToken(text) else { return nil }
        return utf8Equals(token.text, text) ? nil : "\"\(text)\" is written otherwise"
    }

    private static func complaint(aboutEmulatorPage text: String) -> String? {
        guard let token = try? PageToken(text), let again = try? PageToken(token.text) else {
            return nil
        }
        guard again.moment == token.moment, again.offset == token.offset else {
            return "\"\(text)\" is written otherwise"
        }
        let page = PageToken.page(
            of: Array(0..<10), from: token, size: 0, usual: 3, at: token.moment)
        return page.elements.count <= 3 ? nil : "\"\(text)\" has a page of \(page.elements.count)"
    }
}
