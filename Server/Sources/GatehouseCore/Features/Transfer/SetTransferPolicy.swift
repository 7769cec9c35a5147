import GatehouseSecurity
package import GatehouseStorage

/// Sets whether and how an app's accounts are transferred. What has no field, such as a time that is no whole number of days, is rounded as
/// the form shows it.
package struct SetTransferPolicy: OperatorAction {
    package static let about = OperatorActionAbout(
        "transfer-policy.set", role: .operator, step: .confirmed, section: "transfer", subject: .app,
        undo: SetTransferPolicy.self)
    package static let inputs: [Input<Self>] = [
        .earlier(\.earlier), .onOff("transferOn", \.isOn), letters("transferId", \.transfer.id.alphabet),
        length("transferId", \.transfer.id), letters("transferPassword", \.transfer.password.alphabet),
        length("transferPassword", \.transfer.password),
        .choice("transferUses", \.uses, Uses.allCases.map { ($0, Phrase("transfer.\($0.rawValue)")) }),
        .number("transferDays", \.days, TransferPolicy.dayRange, limit: 6),
        .number("transferAttempts", \.transfer.attempts, TransferPolicy.attemptRange, limit: 6),
        .number("transferBlockMinutes", \.blockMinutes, TransferPolicy.blockMinuteRange, limit: 6),
        .onOff("transferKeys", \.hasKeys),
    ]

    private static func letters(
        _ name: String, _ path: any WritableKeyPath<Self, TransferPolicy.Alphabet> & Sendable
    ) -> Input<Self> {
        .choice(
            "\(name)Letters", path,
            TransferPolicy.Alphabet.allCases.map { alphabet in
                let letters = Phrase("letters.\(alphabet.rawValue)")
                return (
                    alphabet,
                    Phrase(
                        "transfer.letters", ["letters": .phrase(letters), "count": .count(alphabet.minimumLength)])
                )
            })
    }

    /// The length of a text, whose letters are read already.
    private static func length(
        _ name: String, _ path: any WritableKeyPath<Self, TransferPolicy.Form> & Sendable
    ) -> Input<Self> {
        Input { action, _, _ in
            [
                .setting(
                    "\(name)Length", .number, value: String(action[keyPath: path].length), isRequired: true, limit: 6)
            ]
        } read: { action, values, _ in
            action[keyPath: path].length = try values.number("\(name)Length", action[keyPath: path].lengths)
        }
    }

    private enum Uses: String, CaseIterable {
        case once, unlimited
    }

    /// The id of an earlier change that this one takes back.
    private var earlier: String?
    private var isOn = false
    private var transfer = TransferPolicy()
    private var hasKeys = true
    /// What a command changes, without a form and its preview; nil for everything that the form has.
    private var change: (@Sendable (inout AccountPolicy) -> Void)?

    private var uses: Uses {
        get { transfer.isSingleUse ? .once : .unlimited }
        set { transfer.isSingleUse = newValue == .once }
    }

    private var days: Int {
        get { Int((transfer.lifetimeSeconds ?? 0) / 86_400) }
        set { transfer.lifetimeSeconds = newValue == 0 ? nil : Int64(newValue) * 86_400 }
    }

    private var blockMinutes: Int {
        get { Int(transfer.blockSeconds / 60) }
        set { transfer.blockSeconds = Int64(newValue) * 60 }
    }

    package init(on target: ActionTarget) {}

    package init(change: @escaping @Sendable (inout AccountPolicy) -> Void) {
        self.change = change
    }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        let policy = try context.earlier(earlier, in: tx)?.before?.policy ?? context.app.policy
        isOn = policy.transfer != nil
        transfer = policy.transfer ?? TransferPolicy()
        hasKeys = policy.transferKeys
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let old = context.app.policy
        var sentences: [Phrase] = ["setting.within"]
        switch (old.transfer != nil, isOn) {
        case (false, true): sentences.append("transfer.switch-on")
        case (true, false): sentences.append("transfer.switch-off")
        case (false, false): break
        case (true, true): sentences.append("transfer.what")
        }
        if isOn { sentences.append(transfer.strength) }
        var preview = Preview("transfer.title", sentences, undo: "setting.undo")
        preview.table = try Preview.Table(
            from: TransferPolicy.settings(old.transfer, keys: old.transferKeys),
            to: TransferPolicy.settings(isOn ? transfer : nil, keys: hasKeys), at: "transferOn")
        return preview
    }

    package func perform(_ work: Work) async throws -> AccountPolicy {
        try await work.changeApp(.transferPolicySet) { app, _ in
            if let change { return change(&app.policy) }
            app.policy.transfer = isOn ? transfer : nil
            app.policy.transferKeys = hasKeys
        }.policy
    }
}

extension TransferPolicy {
    /// A policy in words.
    ///
    /// - Parameters:
    ///   - transfer: nil for none.
    ///   - keys: whether there are transfer keys.
    package static func settings(_ transfer: TransferPolicy?, keys: Bool) -> [SettingValue] {
        var settings = [SettingValue("transferOn", .onOff(transfer != nil))]
        if let transfer {
            settings += [
                SettingValue("transferId", transfer.id.inWords),
                SettingValue("transferPassword", transfer.password.inWords),
                SettingValue(
                    "transferUses", .phrase(transfer.isSingleUse ? "transfer.once" : "transfer.unlimited")),
                SettingValue(
                    "transferDays",
                    transfer.lifetimeSeconds.map { .exactly(seconds: $0) } ?? .phrase("transfer.for-ever")),
                SettingValue("transferAttempts", .count(transfer.attempts)),
                SettingValue("transferBlock", .exactly(seconds: transfer.blockSeconds)),
            ]
        }
        return settings + [SettingValue("transferKeys", .onOff(keys))]
    }

    /// How hard it is to guess an id with its password.
    package var strength: Phrase {
        Phrase(
            "transfer.strength",
            [
                "id": .text(id.guesses), "password": .text(password.guesses), "attempts": .count(attempts),
                "block": .exactly(seconds: blockSeconds),
            ])
    }
}

extension TransferPolicy.Form {
    fileprivate var inWords: Phrase.Value {
        .phrase(
            Phrase(
                "transfer.form",
                ["count": .count(length), "letters": .phrase(Phrase("letters.\(alphabet.rawValue)"))]))
    }

    /// How many texts there are, such as `10¹²`.
    fileprivate var guesses: String {
        // The number of texts is count^length; its decimal logarithm is what a person can compare.
        var digits = 0.0
        for _ in 0..<min(max(length, 0), Self.maximumLength) { digits += Self.decimalDigits[alphabet.count] ?? 1 }
        return "10" + String(String(Int(digits)).compactMap { $0.wholeNumberValue.map { Self.raised[$0] } })
    }

    private static let raised = Array("⁰¹²³⁴⁵⁶⁷⁸⁹")
    /// The decimal logarithms of the numbers of letters that there are.
    private static let decimalDigits = [10: 1.0, 36: 1.5563, 52: 1.7160, 62: 1.7924]
}
