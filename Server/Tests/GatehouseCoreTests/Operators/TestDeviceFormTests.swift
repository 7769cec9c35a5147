import GatehouseSecurity
import GatehouseWire
import Testing

@testable import GatehouseCore

@Suite struct TestDeviceFormTests {
    @Test("A thumbprint that can't be one is told where it is wrong")
    func thumbprints() async throws {
        try await TestCore.open { core in
            let view = try await OperatorForm.context(of: core.operator())
            func problem(_ text: String) -> Phrase? {
                do {
                    let values = OperatorForm.values(["device": text])
                    _ = try AddTestDevice(on: AddTestDevice.about.subject.target(values), values, view)
                    return nil
                } catch {
                    return (error as? InputProblems)?.phrases["device"]
                }
            }
            let good = String(repeating: "A", count: 43)
            #expect(problem(good) == nil && problem(" \(good) ") == nil)
            #expect(problem("") == Phrase("test-devices.length", ["count": .count(0)]))
            #expect(problem(String(good.dropLast())) == Phrase("test-devices.length", ["count": .count(42)]))
            #expect(problem(good + good) == Phrase("test-devices.length", ["count": .count(64)]))
            #expect(problem("AB+\(good)") == Phrase("test-devices.letter", ["letter": .text("+"), "count": .count(3)]))
            #expect(problem("é\(good)") == Phrase("test-devices.letter", ["letter": .text("é"), "count": .count(1)]))
            #expect(problem(String(good.dropLast()) + "B") == Phrase("test-devices.last", ["letter": .text("B")]))
            let note = String(repeating: "x", count: 301)
            #expect(
                await OperatorForm.problems {
                    _ = try AddTestDevice(on: .testDevice(KeyThumbprint("")), OperatorForm.values(["note": note]), view)
                } == ["device", "note"])
        }
    }

    @Test("A device is added with a note and removed, and the removal's undo offers the note again")
    func devices() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let caller = core.operator(kim, as: .operator)
            let key = core.device("tester").key
            let target = ActionTarget.testDevice(key)
            let fields = try await OperatorForm.fields(AddTestDevice.self, on: target, by: caller)
            #expect(fields.map(\.name) == ["device", "note"] && fields.map(\.value) == [key.rawValue, ""])
            #expect(fields.map(\.limit) == [64, 100] && fields.map(\.isRequired) == [true, false])
            let early = await OperatorForm.impossible {
                _ = try await caller.run(ReadPreview(of: RemoveTestDevice(on: target)))
            }
            #expect(early?.parameter == "device" && early?.phrase == "test-devices.unknown")

            let view = try await OperatorForm.context(of: caller)
            let add = try AddTestDevice(
                on: target, OperatorForm.values(["device": key.rawValue, "note": "desk 4"]), view)
            let preview = try await caller.run(ReadPreview(of: add))
            #expect(preview.title == "test-devices.add-title" && !preview.isDangerous)
            #expect(
                preview.consequences.first == Phrase("test-devices.add-what", ["device": .text(key.rawValue)]))
            #expect(await code { try await core.operator(kim, as: .support).run(add) } == .userPermission)
            try await caller.run(add)
            // It is one already, but its note can be another one.
            #expect(await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: add)) } == ["device"])
            let other = AddTestDevice(key: key, note: "desk 5")
            #expect(await OperatorForm.problems { _ = try await caller.run(ReadPreview(of: other)) } == [])

            let remove = try RemoveTestDevice(on: target)
            #expect(
                try await caller.run(ReadPreview(of: remove)).consequences == [
                    Phrase("test-devices.remove-what", ["device": .text(key.rawValue), "note": .text("desk 4")])
                ])
            let record = try #require(try await OperatorForm.confirm(remove, on: target, by: kim, at: core))
            #expect(try await caller.run(ListTestDevices()).isEmpty)
            let again = try await OperatorForm.fields(AddTestDevice.self, on: target, ["earlier": record], by: caller)
            #expect(again.map(\.value) == [key.rawValue, "desk 4"])
            #expect(await code { _ = try AddTestDevice(on: .app) } == .invalidParameter)
        }
    }
}
