import GatehouseCore
import GatehouseSecurity
import GatehouseWire

extension Console {
    static let addTestDevice = DeedKind(
        name: "test-device.added", level: .confirmed, role: .operator, section: "test-devices",
        undo: "test-device.removed", target: device,
        fields: { visit, values in
            let note = try await visit.earlier(values)?.values["note"]
            return [
                Field(
                    "device", visit.words("test-devices.device"), value: values["device"] ?? "",
                    help: visit.words("test-devices.help"), isRequired: true, limit: 64),
                Field("note", visit.words("test-devices.note"), value: note ?? "", limit: 100),
            ]
        },
        preview: { visit, values in
            var form = FormReader(values, visit)
            let key = visit.thumbprint(&form)
            let note = form.text("note", bytes: 300)
            try form.finish()
            let known = try await visit.run(ListTestDevices()).first { $0.key == key }
            if let known, known.note == note ?? "" {
                throw FormProblems(["device": visit.words("test-devices.known")])
            }
            return DeedPreview(
                visit.words("test-devices.add-title"),
                [
                    visit.words("test-devices.add-what", ["device": key.rawValue]),
                    visit.words("test-devices.add-who"),
                ], undo: visit.words("test-devices.add-undo"), button: visit.words("deed.test-device.added"),
                cancel: visit.address("test-devices"))
        },
        perform: { visit, values, call in
            var form = FormReader(values, visit)
            let key = visit.thumbprint(&form)
            let note = form.text("note", bytes: 300)
            try form.finish()
            try await call.run(AddTestDevice(key: key, note: note ?? ""))
            return DeedResult(visit.address("test-devices"))
        })

    static let removeTestDevice = DeedKind(
        name: "test-device.removed", level: .confirmed, role: .operator, section: "test-devices",
        undo: "test-device.added", target: device,
        preview: { visit, values in
            let key = values["device"] ?? ""
            guard let device = try await visit.run(ListTestDevices()).first(where: { $0.key.rawValue == key }) else {
                throw Refusal.parameter("device", visit.words("test-devices.unknown"))
            }
            return DeedPreview(
                visit.words("test-devices.remove-title"),
                [
                    visit.words(
                        "test-devices.remove-what",
                        ["device": device.key.rawValue, "note": device.note.isEmpty ? "–" : device.note])
                ], undo: visit.words("test-devices.remove-undo"), button: visit.words("deed.test-device.removed"),
                cancel: visit.address("test-devices"))
        },
        perform: { visit, values, call in
            try await call.run(RemoveTestDevice(key: KeyThumbprint(values["device"] ?? "")))
            return DeedResult(visit.address("test-devices"))
        })

    private static func device(_ values: FormValues) -> DeedTarget {
        .testDevice(KeyThumbprint(String((values["device"] ?? "").prefix(64))))
    }
}

extension Visit {
    /// The thumbprint of a form. What is wrong is said with its place.
    fileprivate func thumbprint(_ form: inout FormReader) -> KeyThumbprint {
        let text = form.values["device"] ?? ""
        let letters = Array(text.prefix(64))
        if let index = letters.firstIndex(where: { !Self.isLetter($0) }) {
            form.report(
                "device",
                words("test-devices.letter", ["letter": String(letters[index]), "count": String(index + 1)]))
        } else if letters.count != Self.letters {
            form.report("device", words("test-devices.length", ["count": String(letters.count)]))
        } else if Base64URL.decode(text)?.count != 32 {
            // 43 letters have two bits more than 32 bytes, which are zero.
            form.report("device", words("test-devices.last", ["letter": String(letters[Self.letters - 1])]))
        }
        return KeyThumbprint(text)
    }

    private static let letters = 43

    private static func isLetter(_ letter: Character) -> Bool {
        letter.isASCII && (letter.isLetter || letter.isNumber || letter == "-" || letter == "_")
    }
}
