import Testing

@testable import Hearth

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What the strategies of the encoder and the decoder do, each both ways.
struct CodingStrategiesTests {
    private let encoder = Firestore.Encoder()
    private let decoder = Firestore.Decoder()

    private struct Stay: Codable, Equatable {
        var begin: Date
        var end: Date?
    }

    private let stay = Stay(begin: Date(timeIntervalSince1970: 1_700_000_000.5), end: nil)

    private func begin(_ data: [String: Any]) -> Any? { data["begin"] }

    @Test func `dates are timestamps unless another strategy is chosen`() throws {
        #expect(try begin(encoder.encode(stay)) as? Date == stay.begin)

        encoder.dateEncodingStrategy = .secondsSince1970
        decoder.dateDecodingStrategy = .secondsSince1970
        var data = try encoder.encode(stay)
        #expect(begin(data) as? Double == 1_700_000_000.5)
        #expect(try decoder.decode(Stay.self, from: data) == stay)

        encoder.dateEncodingStrategy = .millisecondsSince1970
        decoder.dateDecodingStrategy = .millisecondsSince1970
        data = try encoder.encode(stay)
        #expect(begin(data) as? Double == 1_700_000_000_500)
        #expect(try decoder.decode(Stay.self, from: data) == stay)

        encoder.dateEncodingStrategy = .deferredToDate
        decoder.dateDecodingStrategy = .deferredToDate
        data = try encoder.encode(stay)
        #expect(begin(data) as? Double == stay.begin.timeIntervalSinceReferenceDate)
        #expect(try decoder.decode(Stay.self, from: data) == stay)

        encoder.dateEncodingStrategy = .iso8601
        decoder.dateDecodingStrategy = .iso8601
        data = try encoder.encode(stay)
        #expect(begin(data) as? String == "2023-11-14T22:13:20Z")
        #expect(
            try decoder.decode(Stay.self, from: data).begin
                == Date(timeIntervalSince1970: 1_700_000_000))
        #expect(throws: DecodingError.self) {
            try decoder.decode(Stay.self, from: ["begin": "yesterday"])
        }
    }

    @Test func `dates follow a function, and old forms of them a fallback`() throws {
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.container(keyedBy: IndexKey.self)
            try container.encode(date.timeIntervalSince1970, forKey: IndexKey("unix"))
        }
        let data = try encoder.encode(stay)
        #expect((begin(data) as? [String: Any])?["unix"] as? Double == 1_700_000_000.5)
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.container(keyedBy: IndexKey.self)
            return Date(
                timeIntervalSince1970: try container.decode(Double.self, forKey: IndexKey("unix")))
        }
        #expect(try decoder.decode(Stay.self, from: data) == stay)

        decoder.dateDecodingStrategy = .timestamp(fallback: .secondsSince1970)
        for begin in [stay.begin as Any, 1_700_000_000.5 as Any] {
            #expect(try decoder.decode(Stay.self, from: ["begin": begin]) == stay)
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e15, -1e15])
    func `a date that no calendar has is refused`(seconds: Double) throws {
        let data = try encoder.encode(Stay(begin: Date(timeIntervalSince1970: seconds)))
        #expect(throws: FirestoreError.self) { try UserData.encodeOperand(data) }
        encoder.dateEncodingStrategy = .iso8601
        #expect(throws: FirestoreError.self) {
            try encoder.encode(Stay(begin: Date(timeIntervalSince1970: seconds)))
        }
    }

    private struct Picture: Codable, Equatable {
        var bytes: Data
    }

    @Test func `data is bytes unless another strategy is chosen`() throws {
        let picture = Picture(bytes: Data([1, 2, 255]))
        #expect(try encoder.encode(picture)["bytes"] as? Data == picture.bytes)

        encoder.dataEncodingStrategy = .base64
        decoder.dataDecodingStrategy = .base64
        var data = try encoder.encode(picture)
        #expect(data["bytes"] as? String == "AQL/")
        #expect(try decoder.decode(Picture.self, from: data) == picture)
        #expect(throws: DecodingError.self) {
            try decoder.decode(Picture.self, from: ["bytes": "?"])
        }

        encoder.dataEncodingStrategy = .deferredToData
        decoder.dataDecodingStrategy = .deferredToData
        data = try encoder.encode(picture)
        #expect((data["bytes"] as? [Any])?.count == 3)
        #expect(try decoder.decode(Picture.self, from: data) == picture)

        encoder.dataEncodingStrategy = .custom { data, encoder in
            try data.count.encode(to: encoder)
        }
        decoder.dataDecodingStrategy = .custom { Data(repeating: 0, count: try Int(from: $0)) }
        data = try encoder.encode(picture)
        #expect(data["bytes"] as? Int == 3)
        #expect(try decoder.decode(Picture.self, from: data).bytes == Data([0, 0, 0]))
    }

    private struct Offer: Codable, Equatable {
        var page: URL
        var price: Decimal
        var pages: [URL]?
    }

    @Test func `an address is a string, and a decimal number is a number`() throws {
        let page = try #require(URL(string: "https://example.com/a?b=c"))
        let offer = Offer(page: page, price: 12.5, pages: [page])
        let data = try encoder.encode(offer)
        #expect(data["page"] as? String == "https://example.com/a?b=c")
        #expect(data["price"] as? Double == 12.5)
        #expect(data["pages"] as? [String] == ["https://example.com/a?b=c"])
        #expect(try decoder.decode(Offer.self, from: data) == offer)
        let whole = Offer(page: page, price: 3, pages: nil)
        #expect(
            try decoder.decode(Offer.self, from: ["page": page.absoluteString, "price": 3]) == whole
        )
        let refused: [[String: Any]] = [
            ["page": "", "price": 3], ["page": 1, "price": 3], ["page": "a", "price": "3"],
        ]
        for data in refused {
            #expect(throws: DecodingError.self, "\(data)") {
                try decoder.decode(Offer.self, from: data)
            }
        }
    }

    private struct Reading: Codable {
        var heat: Double
        var pull: Float
    }

    @Test func `what is no finite number is kept, refused or spelt`() throws {
        let reading = Reading(heat: .nan, pull: -.infinity)
        let kept = try decoder.decode(Reading.self, from: encoder.encode(reading))
        #expect(kept.heat.isNaN && kept.pull == -.infinity)

        encoder.nonConformingFloatEncodingStrategy = .throw
        #expect(throws: EncodingError.self) { try encoder.encode(reading) }
        #expect(try encoder.encode(Reading(heat: 1, pull: 2))["heat"] as? Double == 1)

        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        let data = try encoder.encode(reading)
        #expect(data["heat"] as? String == "?" && data["pull"] as? String == "-")
        #expect(throws: DecodingError.self) { try decoder.decode(Reading.self, from: data) }
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "+", negativeInfinity: "-", nan: "?")
        let read = try decoder.decode(Reading.self, from: data)
        #expect(read.heat.isNaN && read.pull == -.infinity)
        #expect(throws: DecodingError.self) {
            try decoder.decode(Reading.self, from: ["heat": "hot", "pull": 1])
        }
    }

    private struct House: Codable, Equatable {
        struct Door: Codable, Equatable { var keyCount: Int }
        var streetName: String
        var frontDoor: Door
        var roomSizes: [String: Door]
        var doorsByURL: [Door]
    }

    private let house = House(
        streetName: "Ring", frontDoor: House.Door(keyCount: 2),
        roomSizes: ["bigRoom": House.Door(keyCount: 3)], doorsByURL: [House.Door(keyCount: 4)])

    @Test func `keys are spelt with underscores, but not those of dictionaries`() throws {
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let data = try encoder.encode(house)
        #expect(Set(data.keys) == ["street_name", "front_door", "room_sizes", "doors_by_url"])
        #expect((data["front_door"] as? [String: Any])?["key_count"] as? Int == 2)
        let rooms = data["room_sizes"] as? [String: Any]
        #expect((rooms?["bigRoom"] as? [String: Any])?["key_count"] as? Int == 3)
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Read: Codable {
            var streetName: String
            var frontDoor: House.Door
            var roomSizes: [String: House.Door]
            var doorsByUrl: [House.Door]
        }
        let read = try decoder.decode(Read.self, from: data)
        #expect(read.streetName == house.streetName && read.frontDoor == house.frontDoor)
        #expect(read.roomSizes == house.roomSizes && read.doorsByUrl == house.doorsByURL)
    }

    @Test func `keys follow a function, which sees where they stand`() throws {
        encoder.keyEncodingStrategy = .custom { path in
            IndexKey(path.map(\.stringValue).joined(separator: "/"))
        }
        let data = try encoder.encode(house)
        #expect((data["frontDoor"] as? [String: Any])?["frontDoor/keyCount"] as? Int == 2)
        decoder.keyDecodingStrategy = .custom { path in
            IndexKey(String(path.last?.stringValue.split(separator: "/").last ?? ""))
        }
        #expect(try decoder.decode(House.self, from: data) == house)
    }

    /// A type that asks the coder for its settings.
    private struct Asking: Codable {
        static let key = CodingUserInfoKey(rawValue: "hearth.tests.tone")
        var tone: String

        init(tone: String) { self.tone = tone }

        init(from decoder: any Swift.Decoder) throws {
            tone = Self.key.flatMap { decoder.userInfo[$0] as? String } ?? "none"
        }

        func encode(to encoder: any Swift.Encoder) throws {
            var container = encoder.container(keyedBy: IndexKey.self)
            let told = Self.key.flatMap { encoder.userInfo[$0] as? String } ?? "none"
            try container.encode(told, forKey: IndexKey("tone"))
        }
    }

    @Test func `a type can ask for what the program told the coder`() throws {
        let key = try #require(Asking.key)
        encoder.userInfo[key] = "warm"
        decoder.userInfo[key] = "cold"
        let data = try encoder.encode(["a": Asking(tone: "")])
        #expect((data["a"] as? [String: Any])?["tone"] as? String == "warm")
        #expect(try decoder.decode([String: Asking].self, from: data)["a"]?.tone == "cold")
    }

    @Test(arguments: [
        ("", ""), ("a", "a"), ("aA", "a_a"), ("myURL", "my_url"),
        ("version4Thing", "version4_thing"),
        ("thisIsAnXMLProperty", "this_is_an_xml_property"), ("partCAPS", "part_caps"),
        ("partCAPSLowerAGAIN", "part_caps_lower_again"), ("asdfĆqer", "asdf_ćqer"),
        ("already_snake_case", "already_snake_case"), ("_oneTwo", "_one_two"),
        ("oneTwo__", "one_two__"), ("singleAtEndX", "single_at_end_x"), ("🐧🐟", "🐧🐟"),
    ])
    func `names are spelt with underscores`(camel: String, snake: String) {
        #expect(SnakeCase.snake(camel) == snake)
    }

    @Test(arguments: [
        ("", ""), ("a", "a"), ("ALL_CAPS", "allCaps"), ("single", "single"), ("a_a", "aA"),
        ("version4_thing", "version4Thing"), ("one_two_three", "oneTwoThree"),
        ("alreadyCamel", "alreadyCamel"), ("__one_two_", "__oneTwo_"), ("_", "_"), ("___", "___"),
        ("snake_Ćase", "snakeĆase"), ("x__y", "xY"), ("bar_", "bar_"),
    ])
    func `names are spelt with capitals`(snake: String, camel: String) {
        #expect(SnakeCase.camel(snake) == camel)
    }
}
