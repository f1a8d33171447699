// SPDX-License-Identifier: Apache-2.0
// The set that an address belongs to: its pieces of SetBits bits, exclusive or. The driver has the same function
// (nexus_set() in src/deps/nexus/fits.hpp), to find what can never fit.
module nexus_hash #(
  parameter int unsigned SetBits = 8
) (
  input  logic [nexus_words::AccessAddressWidth-1:0] address_i,
  output logic [SetBits-1:0]            set_o
);
  always_comb begin
    set_o = '0;
    for (int unsigned i = 0; i < nexus_words::AccessAddressWidth; i++) begin
      set_o[i%SetBits] = set_o[i%SetBits] ^ address_i[i];
    end
  end
endmodule
