import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// Adds a device that can play whatever the app's status is.
package struct AddTestDevice: OperatorAction {
    package static let about = OperatorActionAbout(
        "test-device.added", role: .operator, step: .confirmed, section: "test-devices", subject: .testDevice,
        undo: RemoveTestDevice.self)
    package static let inputs: [Input<Self>] = [
        .earlier(\.earlier), .thumbprint,
        .text("note", \.note, bytes: 300, limit: 100, label: "test-devices.note"),
    ]

    let key: KeyThumbprint
    /// Nil for none.
    var note: String?
    /// The id of an earlier removal, whose note the form offers again.
    var earlier: String?

    package init(on target: ActionTarget) throws {
        key = try target.requireTestDevice()
    }

    package var subject: ActionTarget { .testDevice(key) }

    package init(key: KeyThumbprint, note: String) {
        self.key = key
        self.note = note
    }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        note = try context.earlier(earlier, in: tx)?.before?.values["note"]
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let known = try AppQueries.testDevices(of: context.app.id, in: tx).first { $0.key == key }
        if let known, known.note == note ?? "" { throw InputProblems(["device": "test-devices.known"]) }
        return Preview(
            "test-devices.add-title",
            [Phrase("test-devices.add-what", ["device": .text(key.rawValue)]), "test-devices.add-who"],
            undo: "test-devices.add-undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try AppRules.addTestDevice(key, note: note ?? "", to: change.app.id, at: change.moment, in: tx)
            try change.record(.testDeviceAdded, in: tx)
        }
    }
}

extension Input<AddTestDevice> {
    /// The thumbprint of the device's key, which the target has.
    fileprivate static var thumbprint: Self {
        Input { action, _, _ in
            [
                InputField(
                    name: "device", label: "test-devices.device", kind: .text, value: action.key.rawValue,
                    help: "test-devices.help", isRequired: true, limit: 64)
            ]
        } read: { action, _, _ in
            if let problem = problem(of: action.key.rawValue) { throw InputProblems(["device": problem]) }
        }
    }

    private static let letters = 43

    /// What is wrong with a thumbprint, and where; nil if nothing is.
    private static func problem(of text: String) -> Phrase? {
        let found = Array(text)
        if let index = found.firstIndex(where: { !isLetter($0) }) {
            return Phrase(
                "test-devices.letter", ["letter": .text(String(found[index])), "count": .count(index + 1)])
        }
        guard found.count == letters else { return Phrase("test-devices.length", ["count": .count(found.count)]) }
        // 43 letters have two bits more than 32 bytes, which are zero.
        guard Base64URL.decode(text)?.count == 32 else {
            return Phrase("test-devices.last", ["letter": .text(String(found[letters - 1]))])
        }
        return nil
    }

    private static func isLetter(_ letter: Character) -> Bool {
        letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-" || letter == "_")
    }
}

extension ActionTarget {
    /// - Throws: 3 if it is no test device.
    func requireTestDevice() throws -> KeyThumbprint {
        guard case .testDevice(let key) = self else {
            throw Refusal.parameter("device", "The action is about a test device.")
        }
        return key
    }
}

/// Removes a test device, so that the app's status counts for it as for every other.
package struct RemoveTestDevice: OperatorAction {
    package static let about = OperatorActionAbout(
        "test-device.removed", role: .operator, step: .confirmed, section: "test-devices", subject: .testDevice,
        undo: AddTestDevice.self)

    let key: KeyThumbprint

    package init(on target: ActionTarget) throws {
        key = try target.requireTestDevice()
    }

    package var subject: ActionTarget { .testDevice(key) }

    package init(key: KeyThumbprint) {
        self.key = key
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        guard let device = try AppQueries.testDevices(of: context.app.id, in: tx).first(where: { $0.key == key }) else {
            throw ImpossibleAction(phrase: "test-devices.unknown", parameter: "device")
        }
        return Preview(
            "test-devices.remove-title",
            [
                Phrase(
                    "test-devices.remove-what",
                    ["device": .text(key.rawValue), "note": .text(device.note.isEmpty ? "–" : device.note)])
            ], undo: "test-devices.remove-undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try AppRules.removeTestDevice(key, from: change.app.id, in: tx)
            try change.record(.testDeviceRemoved, in: tx)
        }
    }
}
