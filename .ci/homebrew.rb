# Stands in for Homebrew: reads a formula for a processor, holds the archive that it names against its digest, and installs from
# it into a folder.
#
#   ruby homebrew.rb FORMULA arm|intel FOLDER-OF-ARCHIVES yes|no    the last says if the program can be run here
require "digest"
require "fileutils"

FORMULA, PROCESSOR, ARCHIVES, CAN_RUN = ARGV

# A place of the installation, which takes files of the archive; under another name where one is given.
class Place
  def initialize(folder)
    @folder = folder
    FileUtils.mkdir_p(folder)
  end

  def to_s = @folder

  def install(*files)
    pairs = files.flatten.flat_map { |file| file.is_a?(Hash) ? file.to_a : [[file, File.basename(file)]] }
    raise "nothing is installed into #{@folder}" if pairs.empty?

    pairs.each { |from, to| FileUtils.cp_r(from, File.join(@folder, to)) }
  end
end

class Formula
  class << self
    attr_reader :facts, :block

    %i[desc homepage version url sha256 license depends_on].each do |name|
      define_method(name) do |value = nil|
        @facts ||= {}
        value ? @facts[name] = value : @facts.fetch(name)
      end
    end

    def on_arm = PROCESSOR == "arm" && yield
    def on_intel = PROCESSOR == "intel" && yield
    def test(&block) = @block = block
  end

  def version = self.class.version

  %i[bin bash_completion fish_completion zsh_completion man1 doc].each do |name|
    define_method(name) { Place.new(File.join(ARCHIVES, "installed-#{PROCESSOR}", name.to_s)) }
  end

  def shell_output(command) = `#{command}`.tap { raise "#{command} failed" unless $?.success? }
  def assert_match(wanted, text) = text.include?(wanted) || raise("#{text.inspect} has no #{wanted}")
end

load FORMULA
facts = Bakeoff.facts
archive = File.join(ARCHIVES, File.basename(facts.fetch(:url)))
raise "another digest than #{archive} has" unless Digest::SHA256.file(archive).hexdigest == facts.fetch(:sha256)
raise "another version than the address has" unless facts[:url].include?("/v#{facts[:version]}/")

# Homebrew unpacks an archive, and enters the only folder in it.
Dir.chdir(File.join(ARCHIVES, File.basename(archive, ".tgz"))) do
  formula = Bakeoff.new
  formula.install
  formula.instance_exec(&Bakeoff.block) if CAN_RUN == "yes"
end
