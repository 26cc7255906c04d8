import HearthModel
import Testing

struct GeoPointTests {
    @Test func `degrees have ranges`() {
        #expect(GeoPoint(latitude: 90, longitude: -180).isValid)
        #expect(GeoPoint(latitude: -90, longitude: 180).isValid)
        #expect(!GeoPoint(latitude: 90.1, longitude: 0).isValid)
        #expect(!GeoPoint(latitude: 0, longitude: -180.1).isValid)
        #expect(!GeoPoint(latitude: .nan, longitude: 0).isValid)
    }

    @Test func `equality tells zeros apart and holds NaN equal to itself`() {
        let zero = GeoPoint(latitude: 0, longitude: 0)
        #expect(zero == GeoPoint(latitude: 0, longitude: 0))
        #expect(zero != GeoPoint(latitude: -0.0, longitude: 0))
        #expect(zero != GeoPoint(latitude: 0, longitude: -0.0))
        let odd = GeoPoint(latitude: .nan, longitude: .signalingNaN)
        #expect(odd == GeoPoint(latitude: .nan, longitude: .nan))
        #expect(hash(odd) == hash(GeoPoint(latitude: -.nan, longitude: .nan)))
    }
}
