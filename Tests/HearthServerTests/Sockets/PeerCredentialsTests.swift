import HearthServer
import Testing

struct ControlGroupTests {
    @Test(arguments: [
        ("0::/system.slice/app.service\n", "app.service"),
        ("0::/user.slice/user-7.slice/user@7.service/app.slice/run-1.scope", "run-1.scope"),
        ("12:pids:/x.service\n1:name=systemd:/system.slice/old.service\n", "old.service"),
        ("0::/system.slice/app.service/worker", "app.service"),
    ])
    func `the innermost unit of a process is found`(text: String, unit: String) {
        #expect(ControlGroup.unit(inGroups: text) == unit)
    }

    @Test func `a process outside any unit has none`() {
        #expect(ControlGroup.unit(inGroups: "0::/\n") == nil)
        #expect(ControlGroup.unit(inGroups: "") == nil)
    }
}
