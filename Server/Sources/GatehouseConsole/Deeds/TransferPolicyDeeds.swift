import GatehouseCore
import GatehouseSecurity
import GatehouseWire

extension Console {
    static let setTransferPolicy = DeedKind(
        name: "transfer-policy.set", level: .confirmed, role: .operator, section: "transfer",
        undo: "transfer-policy.set", target: { _ in .app },
        fields: { visit, values in
            let policy = try await visit.earlier(values)?.policy ?? visit.app().policy
            return visit.transferFields(policy)
        },
        preview: { visit, values in
            let old = try visit.app().policy
            let new = try visit.transfer(values)
            var sentences = [visit.words("setting.within")]
            switch (old.transfer, new.transfer) {
            case (nil, _?): sentences.append(visit.words("transfer.switch-on"))
            case (_?, nil): sentences.append(visit.words("transfer.switch-off"))
            case (nil, nil): break
            case (_?, _?): sentences.append(visit.words("transfer.what"))
            }
            if let transfer = new.transfer { sentences += visit.strength(of: transfer) }
            var preview = DeedPreview(
                visit.words("transfer.title"), sentences, undo: visit.words("setting.undo"),
                button: visit.words("deed.transfer-policy.set"), cancel: visit.address("transfer"))
            preview.table = try visit.difference(
                visit.settings(old.transfer, keys: old.transferKeys), visit.settings(new.transfer, keys: new.keys),
                at: "transferOn")
            return preview
        },
        perform: { visit, values, call in
            let new = try visit.transfer(values)
            try await call.run(
                ChangeAccountPolicy { policy in
                    policy.transfer = new.transfer
                    policy.transferKeys = new.keys
                })
            return DeedResult(visit.address("transfer"))
        })
}

extension Visit {
    fileprivate func transferFields(_ policy: AccountPolicy) -> [Field] {
        let transfer = policy.transfer ?? TransferPolicy()
        func alphabet(_ name: String, _ form: TransferPolicy.Form) -> Field {
            settingField(
                name,
                .choice(
                    TransferPolicy.Alphabet.allCases.map { alphabet in
                        Field.Option(
                            alphabet.rawValue,
                            words(
                                "transfer.letters",
                                [
                                    "letters": words("letters.\(alphabet.rawValue)"),
                                    "count": String(alphabet.minimumLength),
                                ]))
                    }), value: form.alphabet.rawValue)
        }
        func number(_ name: String, _ number: Int) -> Field {
            settingField(name, .number, value: String(number), isRequired: true, limit: 6)
        }
        return [
            switchField("transferOn", policy.transfer != nil), alphabet("transferIdLetters", transfer.id),
            number("transferIdLength", transfer.id.length), alphabet("transferPasswordLetters", transfer.password),
            number("transferPasswordLength", transfer.password.length),
            settingField(
                "transferUses",
                .choice(["once", "unlimited"].map { Field.Option($0, words("transfer.\($0)")) }),
                value: transfer.isSingleUse ? "once" : "unlimited"),
            number("transferDays", Int((transfer.lifetimeSeconds ?? 0) / 86_400)),
            number("transferAttempts", transfer.attempts),
            number("transferBlockMinutes", Int(transfer.blockSeconds / 60)),
            switchField("transferKeys", policy.transferKeys),
        ]
    }

    /// The transfer policy of a form. What has no field, such as a time that is no whole number of days, is rounded as the form shows it.
    fileprivate func transfer(_ values: FormValues) throws -> (transfer: TransferPolicy?, keys: Bool) {
        var form = FormReader(values, self)
        let isOn = form.isOn("transferOn")
        var transfer = TransferPolicy()
        transfer.id = Self.form("transferId", transfer.id, &form)
        transfer.password = Self.form("transferPassword", transfer.password, &form)
        let uses = values["transferUses"]
        if uses != "once", uses != "unlimited" { form.report("transferUses", words("problem.choice")) }
        transfer.isSingleUse = uses == "once"
        let days = form.number("transferDays", 0...3_650)
        transfer.lifetimeSeconds = days == 0 ? nil : Int64(days) * 86_400
        transfer.attempts = form.number("transferAttempts", 1...99)
        transfer.blockSeconds = Int64(form.number("transferBlockMinutes", 1...525_600)) * 60
        let keys = form.isOn("transferKeys")
        try form.finish()
        return (isOn ? transfer : nil, keys)
    }

    private static func form(
        _ name: String, _ standard: TransferPolicy.Form, _ form: inout FormReader
    ) -> TransferPolicy.Form {
        let alphabet = form.choice("\(name)Letters", or: standard.alphabet)
        return TransferPolicy.Form(
            alphabet, length: form.number("\(name)Length", alphabet.minimumLength...64))
    }
}
