import HearthModel
import Testing

struct MD5Tests {
    private func digest(_ message: some Sequence<UInt8>) -> String {
        let (first, second) = MD5.words(of: message)
        return hexadecimal(
            [first, second].flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64($0 * 8)) }
            })
    }

    /// The test suite of RFC 1321, appendix A.5.
    @Test(
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"),
            ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
            (
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
                "d174ab98d277d9f5a5611c2c9f419d9f"
            ),
            (
                "1234567890123456789012345678901234567890"
                    + "1234567890123456789012345678901234567890",
                "57edf4a22be3c955ac49da2e2107b67a"
            ),
        ])
    func `digests are those of the standard`(message: String, expected: String) {
        #expect(digest(message.utf8) == expected)
    }

    /// Facts from Python's `hashlib`, around the lengths at which padding changes.
    @Test(
        arguments: [
            (55, "ef1772b6dff9a122358552954ad0df65"), (56, "3b0c8ac703f828b04c6c197006d17218"),
            (57, "652b906d60af96844ebd21b674f35e93"), (63, "b06521f39153d618550606be297466d5"),
            (64, "014842d480b571495a4a0363793f7367"), (65, "c743a45e0d2e6a95cb859adae0248435"),
            (119, "8a7bd0732ed6a28ce75f6dabc90e1613"), (120, "5f61c0ccad4cac44c75ff505e1f1e537"),
            (1000, "cabe45dcc9ae5b66ba86600cca6b8ba8"),
        ])
    func `digests are right at every padding`(length: Int, expected: String) {
        #expect(digest(repeatElement(UInt8(ascii: "a"), count: length)) == expected)
    }

    @Test func `all bytes and UTF-8 names are digested`() {
        #expect(digest(0...255) == "e2c865db4162bed963bfaa9ef6ac18f0")
        let name = "projects/demo/databases/(default)/documents/c/\u{E9}\u{1F600}"
        #expect(digest(name.utf8) == "1c26fb4257230e56ba3b1b888d2501ee")
    }
}
