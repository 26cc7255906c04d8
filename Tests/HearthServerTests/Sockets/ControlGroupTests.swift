import HearthServer
import Testing

struct ControlGroupTests {
    @Test(arguments: [
        ("0::/system.slice/app.service\n", "app.service"),
        ("0::/system.slice/run-u7.scope\n", "run-u7.scope"),
        ("0::/user.slice/user-7.slice/session-3.scope\n", "session-3.scope"),
        ("12:pids:/x.service\n1:name=systemd:/system.slice/old.service\n", "old.service"),
        ("0::/system.slice/system-till.slice/till@1.service/worker", "till@1.service"),
        ("0::/system.slice/_cpu.service", "cpu.service"),
    ])
    func `the system's unit of a process is found`(text: String, unit: String) {
        #expect(ControlGroup.place(inGroups: text) == .init(unit: unit))
    }

    @Test(arguments: ["till.service", "app.slice/till.service", "till.service/other.service"])
    func `a unit of a user's manager never passes for one of the system's`(below: String) {
        let text = "0::/user.slice/user-7.slice/user@7.service/\(below)\n"
        let place = ControlGroup.place(inGroups: text)
        #expect(place?.unit == "user@7.service")
        #expect(place?.userUnit == UserUnit(name: "till.service", uid: 7))
    }

    @Test func `below a service that delegates its own name counts`() {
        let text = "0::/system.slice/docker.service/till.service\n"
        #expect(ControlGroup.place(inGroups: text) == .init(unit: "docker.service"))
        let container = "0::/machine.slice/machine-a.scope/payload/system.slice/till.service\n"
        #expect(ControlGroup.place(inGroups: container) == .init(unit: "machine-a.scope"))
    }

    @Test func `a process outside any unit has none`() {
        #expect(ControlGroup.place(inGroups: "0::/\n") == .init())
        #expect(ControlGroup.place(inGroups: "0::/user.slice/a.slice\n") == .init())
    }

    @Test(arguments: [
        "", "0::/../till.service\n", "0::/till.service (deleted)\n", "3:cpu:/a.scope",
    ])
    func `what the text does not tell is unknown, not none`(text: String) {
        #expect(ControlGroup.place(inGroups: text) == nil)
    }
}
