package import GatehouseStorage
package import GatehouseWire

/// Removes a test device, so that the app's status counts for it as for every other.
package struct RemoveTestDevice: OperatorAction {
    package static let about = OperatorActionAbout(
        "test-device.removed", role: .operator, step: .confirmed, section: "test-devices", subject: .testDevice,
        undo: AddTestDevice.self)

    let key: KeyThumbprint

    package init(on target: DeedTarget) throws {
        key = try target.requireTestDevice()
    }

    package var subject: DeedTarget { .testDevice(key) }

    package init(key: KeyThumbprint) {
        self.key = key
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        guard let device = try AppQueries.testDevices(of: view.app, in: tx).first(where: { $0.key == key }) else {
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
