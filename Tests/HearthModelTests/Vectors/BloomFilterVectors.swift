/// A filter, and digests of its bitmap and of its answers.
struct BloomFilterVector: Sendable {
    /// How its members are written.
    enum Spelling: Sendable { case plain, foreign }

    let spelling: Spelling
    let count: Int
    let bitCount: UInt64
    let hashCount: Int
    let bitmap: UInt64
    let answers: UInt64

    init(
        _ spelling: Spelling, _ count: Int, _ bitCount: UInt64, _ hashCount: Int,
        _ bitmap: UInt64, _ answers: UInt64
    ) {
        self.spelling = spelling
        self.count = count
        self.bitCount = bitCount
        self.hashCount = hashCount
        self.bitmap = bitmap
        self.answers = answers
    }

    /// Made by make-bloom-filters.py: spelling, members, bits, hashes, digests.
    static let all: [BloomFilterVector] = [
        .init(.plain, 1, 2, 1, 0x89a51bad0840a555, 0x0605587727a69b24),
        .init(.plain, 1, 5, 3, 0x030f1e0a24b2ed4d, 0x50b4609e3dadda25),
        .init(.plain, 1, 10, 7, 0xcba0b7098c02959f, 0x50b4609e3dadda25),
        .init(.plain, 1, 20, 14, 0xbad5a2b5df357a25, 0x50b4609e3dadda25),
        .init(.plain, 2, 3, 1, 0x4c90c737b4a1ec06, 0xf10ccb994c08fde8),
        .init(.plain, 2, 10, 3, 0x72c426129dad370b, 0x394c50a701a4a0a3),
        .init(.plain, 2, 20, 7, 0x7d9cebac063c8a71, 0x4d8f516bac6881a8),
        .init(.plain, 2, 39, 14, 0x2bb12fccaca59581, 0x4d8f516bac6881a8),
        .init(.plain, 3, 5, 1, 0xbcad240f09b49803, 0x2f97d964e3cd4176),
        .init(.plain, 3, 15, 3, 0xd630186e1c2931c6, 0xf3bdd892b3e40ed5),
        .init(.plain, 3, 29, 7, 0xb601cc81f7507f44, 0xf3bdd892b3e40ed5),
        .init(.plain, 3, 58, 13, 0xa72bea091a76dc04, 0xf3bdd892b3e40ed5),
        .init(.plain, 7, 11, 1, 0x53370e290bf86406, 0x24632e9814a16c82),
        .init(.plain, 7, 34, 3, 0x9df44fc8ef277f94, 0x629831371a9b9e9d),
        .init(.plain, 7, 68, 7, 0xb7c4a61bab9591e4, 0x629831371a9b9e9d),
        .init(.plain, 7, 135, 13, 0xbc2a2e27eea40d93, 0x629831371a9b9e9d),
        .init(.plain, 20, 29, 1, 0xee32a37cfa68f845, 0xb2eb702eaa8ad9c1),
        .init(.plain, 20, 96, 3, 0x55dfe428bfe40a8c, 0x01115db73dcffcf8),
        .init(.plain, 20, 192, 7, 0x1ad6fc2a998d6c43, 0x25fc29f2e2551e5f),
        .init(.plain, 20, 384, 13, 0xc4202fe96179099c, 0x25fc29f2e2551e5f),
        .init(.plain, 100, 145, 1, 0x0584ff12c20bc29c, 0x1a4647c8adbef746),
        .init(.plain, 100, 480, 3, 0x1c25e4125f9c750a, 0x70d941630517b514),
        .init(.plain, 100, 959, 7, 0x6ef3fad601598f60, 0x48f1ade30c4a8a79),
        .init(.plain, 100, 1_918, 13, 0xc1a001f600b1e31f, 0xdef0a9858789feac),
        .init(.plain, 500, 722, 1, 0x2f9edc50610e65c8, 0xed3faca40875ad9f),
        .init(.plain, 500, 2_397, 3, 0xafb0139f0efc3940, 0x2410c0424a59cc05),
        .init(.plain, 500, 4_793, 7, 0x6e84952fc0bfd02d, 0xaf1c9db2abe244b9),
        .init(.plain, 500, 9_586, 13, 0x6c923319f7be33d2, 0xe083158c9edd1f07),
        .init(.plain, 2_000, 2_886, 1, 0xc18c02c62fe46d8d, 0x50fa53cc7ed1dce3),
        .init(.plain, 2_000, 9_586, 3, 0xe1a5b541ccdf758f, 0x7b8b14c0678b2390),
        .init(.plain, 2_000, 19_171, 7, 0x5e6b73d6a4916089, 0xceb86dd7e168185e),
        .init(.plain, 2_000, 38_341, 13, 0x099cfe89bc90c1da, 0xd4fc8ba407d15a2b),
        .init(.plain, 10_000, 47_926, 3, 0xacb89347a6c3c414, 0x979e080a1140de25),
        .init(.plain, 10_000, 143_776, 10, 0xa8f06dfd4837933e, 0x2ed1e8450c6ecda2),
        .init(.plain, 50_000, 479_253, 7, 0xc886c01d68eee38e, 0xb508beea69b5d87c),
        .init(.foreign, 100, 960, 7, 0x1fa9c17a1ac843a9, 0x9af0e4087ff94d2e),
        .init(.foreign, 100, 959, 7, 0xc2aa2379d519123c, 0x4ef8188c219a8b16),
        .init(.foreign, 100, 958, 7, 0x933a847fd838ad39, 0xdef0a9858789feac),
        .init(.foreign, 100, 957, 7, 0xa3da63e078c41755, 0xdef0a9858789feac),
        .init(.foreign, 100, 956, 7, 0xb873f325b2cb6fe8, 0x70dcd66789b1e41a),
        .init(.foreign, 100, 955, 7, 0x8a1923cab9595184, 0xa5c13a1da36a7988),
        .init(.foreign, 100, 954, 7, 0xe1a1f7419ee2ac08, 0x4f3ba8d9bdac26d1),
        .init(.foreign, 100, 953, 7, 0x50df9fa616de3864, 0xe0668554e057675c),
        .init(.foreign, 40, 1, 1, 0x89a51bad0840a555, 0xc1249e1c4401e176),
        .init(.foreign, 40, 2, 3, 0x90cdaa0635686686, 0xc1249e1c4401e176),
        .init(.foreign, 40, 7, 1, 0x1de3507ee6b6ac83, 0xc1249e1c4401e176),
        .init(.foreign, 40, 8, 8, 0x3fa42bf4d44f5900, 0xc1249e1c4401e176),
        .init(.foreign, 40, 9, 16, 0xfecc7b1339c173fb, 0xc1249e1c4401e176),
        .init(.foreign, 40, 61, 13, 0xa09559680c2f3ee3, 0xc1249e1c4401e176),
        .init(.foreign, 40, 64, 7, 0xc1cca6ddc752eca9, 0x7ab972cd4c4e01f5),
        .init(.foreign, 40, 127, 50, 0xe0eddf359eb8f566, 0xc1249e1c4401e176),
        .init(.foreign, 40, 128, 50, 0xe1ddeca4c9cb798d, 0xc1249e1c4401e176),
        .init(.foreign, 40, 256, 1, 0xf363edec61a5b7b0, 0xf635972d15642796),
        .init(.foreign, 40, 997, 7, 0x1e8706618d680c0c, 0x6776c44dc5f054da),
        .init(.foreign, 40, 1_024, 7, 0xb1555026f0a4f25d, 0x6776c44dc5f054da),
        .init(.foreign, 40, 4_096, 16, 0x61521f32c83b46d1, 0x6776c44dc5f054da),
        .init(.foreign, 40, 7_919, 30, 0x5a2633b33bc19485, 0x6776c44dc5f054da),
        .init(.foreign, 40, 65_536, 16, 0x0cf6e561f92b14b4, 0x6776c44dc5f054da),
        .init(.foreign, 40, 65_537, 16, 0x2e1cd6bfdde4e223, 0x6776c44dc5f054da),
        .init(.foreign, 40, 1_000_003, 1, 0x90e5973281c18f09, 0x6776c44dc5f054da),
    ]
}
